import { expect, test } from 'vitest'
import { walletHash } from './walletHash.ts'

test('default: a hash never changes and is never 0', () => {
  expect(walletHash('0xd8da6bf26964af9d7eed9e03e53415d37aa96045')).toMatchInlineSnapshot(
    `1022440382789311`,
  )
  expect(walletHash('')).toBeGreaterThan(0)
})

test('behavior: similar addresses have no collisions and evenly spread low bits', () => {
  const hashes = new Set<number>()
  const low = new Uint32Array(64)
  for (let index = 0; index < 200_000; index += 1) {
    const hash = walletHash(`0x${index.toString(16).padStart(40, '0')}`)
    hashes.add(hash)
    low[hash & 63]! += 1
  }
  expect(hashes.size).toBe(200_000)
  expect([...hashes].every(Number.isSafeInteger)).toBe(true)
  const even = 200_000 / 64
  for (const count of low) expect(Math.abs(count - even)).toBeLessThan(6 * Math.sqrt(even))
})
