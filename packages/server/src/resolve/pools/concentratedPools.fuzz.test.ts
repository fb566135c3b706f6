import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AddressBloomFilter } from './concentratedPools.ts'

const hexArbitrary = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const addressArbitrary = fc.oneof(hexArbitrary, fc.string({ maxLength: 44 }))

test('behavior: an added address is always found, however small the filter', () => {
  fc.assert(
    fc.property(fc.array(addressArbitrary), fc.integer({ min: 1, max: 999 }), (added, bytes) => {
      const filter = new AddressBloomFilter(bytes)
      for (const address of added) filter.add(address)
      expect(added.every((address) => filter.has(address))).toBe(true)
    }),
  )
})

test('behavior: a filter with enough room has few false positives', () => {
  const count = 20_000
  const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`
  // 32 bits per address: one false positive in 5,000, if the hashes were perfect.
  const filter = new AddressBloomFilter(4 * count)
  for (let i = 0; i < count; i++) filter.add(addressOf(i))
  let seemingCount = 0
  for (let i = count; i < 2 * count; i++) if (filter.has(addressOf(i))) seemingCount++
  expect(seemingCount).toBeLessThan(count / 500)
})
