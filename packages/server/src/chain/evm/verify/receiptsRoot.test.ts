import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RawReceipt } from '../fetch/rawBlock.ts'
import { bloomChars, createBloomIndex } from './bloom.ts'
import { receiptsRootOf } from './receiptsRoot.ts'

type Block = { header: { receiptsRoot: string }; receipts: RawReceipt[] }

const fixture = new URL('../../../../../../test/fixtures/evmBlocks.json', import.meta.url)
const blocks = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, Block>
const index = createBloomIndex()

/** Adds the receipt's bloom filter, which the fixture omits because it follows from the logs. */
function withBloom(receipt: RawReceipt): RawReceipt {
  const bytes = new Uint8Array((bloomChars - 2) / 2)
  for (const { address, topics } of receipt.logs)
    for (const item of [address, ...topics])
      for (const bit of index.bitsOf(item)) bytes[bytes.length - 1 - (bit >> 3)]! |= 1 << (bit & 7)
  return { ...receipt, logsBloom: `0x${Buffer.from(bytes).toString('hex')}` }
}

const ethereum = blocks.ethereum17000000!.receipts.map(withBloom)
const root = blocks.ethereum17000000!.header.receiptsRoot

test.each(Object.entries(blocks))('default: %s', (_, { header, receipts }) => {
  expect(receiptsRootOf(receipts.map(withBloom))).toBe(header.receiptsRoot)
})

test('behavior: no receipts', () => {
  const empty = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
  expect(receiptsRootOf([])).toBe(empty)
})

test('behavior: one digit of one log changes it, and so does the order', () => {
  const at = ethereum.findIndex(({ logs }) => logs.length > 0)
  const [first, ...rest] = ethereum[at]!.logs
  const digit = first!.data.at(-1) === '0' ? '1' : '0'
  const changed = { ...first!, data: `${first!.data.slice(0, -1)}${digit}` }
  const receipt = { ...ethereum[at]!, logs: [changed, ...rest] }
  expect(receiptsRootOf(ethereum.with(at, receipt))).not.toBe(root)
  expect(receiptsRootOf([...ethereum].reverse())).not.toBe(root)
})

test.each([
  ['no filter', { logsBloom: undefined as never }],
  ['no outcome', { status: undefined as never }],
  ['no gas', { cumulativeGasUsed: 'much' }],
  ['no logs', { logs: null as never }],
  ['a log that is no hex', { logs: [{ ...ethereum[0]!.logs[0]!, data: '0x0' }] }],
  ['a type that is not known', { type: '0xff' }],
])('behavior: %s: there is no root', (_, change) => {
  expect(receiptsRootOf([{ ...ethereum[0]!, ...change }])).toBeNull()
})
