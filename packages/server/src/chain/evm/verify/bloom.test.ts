import { expect, test } from 'vitest'
import { bloomChars, countBloomBits, createBloomIndex, isInBloom } from './bloom.ts'

const index = createBloomIndex()

function bloomOf(items: readonly string[]): string {
  const bytes = new Uint8Array((bloomChars - 2) / 2)
  for (const item of items)
    for (const bit of index.bitsOf(item)) bytes[bytes.length - 1 - (bit >> 3)]! |= 1 << (bit & 7)
  return `0x${Buffer.from(bytes).toString('hex')}`
}

// A log of a real EVM; the filter was computed by the node.
const realItems = [
  '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  '0x0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266',
]
const realBloom =
  '0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000300000000000000000000000000000000000000000000000000000000000000000000000000040000000000000000100000000000800000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000020000000000200000000000000000000000000000000000000000000000000000000040000000200000000000000000000000002000000000000000000000000010000000000000000000000000000000000000000000000000000000000000'

test('default: agrees with a node', () => {
  for (const item of realItems) expect(isInBloom(realBloom, index.bitsOf(item))).toBe(true)
  expect(bloomOf(realItems)).toBe(realBloom)
  expect(countBloomBits(realBloom)).toBe(new Set(realItems.flatMap(index.bitsOf)).size)
})

test('behavior: upper-case hex is the same filter', () => {
  const shouted = `0x${realBloom.slice(2).toUpperCase()}`
  for (const item of realItems) expect(isInBloom(shouted, index.bitsOf(item))).toBe(true)
  expect(countBloomBits(shouted)).toBe(countBloomBits(realBloom))
})

test('behavior: what was not put in is told apart', () => {
  for (const item of ['0x44', '0x55', '0x66'])
    expect(isInBloom(realBloom, index.bitsOf(item))).toBe(false)
})

test('behavior: bits are the same after more items than are remembered', () => {
  const small = createBloomIndex(4)
  for (let item = 0; item < 40; item += 1) {
    small.bitsOf(`0x${item.toString(16).padStart(40, '0')}`)
    expect(small.bitsOf(realItems[item % 3]!)).toEqual(index.bitsOf(realItems[item % 3]!))
  }
})
