import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { encodeKey, encodeSignature } from './encodeKey.ts'

test.each([
  ['key', 32, encodeKey],
  ['signature', 64, encodeSignature],
] as const)('behavior: a %s is written as any bytes are', (_, length, encode) => {
  const some = fc.oneof(
    fc.uint8Array({ minLength: length, maxLength: length }),
    // Leading zeros, and the highest numbers.
    fc
      .tuple(fc.nat({ max: length }), fc.constantFrom(0, 1, 57, 58, 255))
      .map(([zeros, value]) => new Uint8Array(length).fill(value, zeros)),
  )
  fc.assert(
    fc.property(some, fc.nat({ max: 5 }), (bytes, before) => {
      const text = encode(Buffer.concat([Buffer.alloc(before, 7), bytes]), before)
      expect(text).toBe(encodeBase58(bytes))
      expect(decodeBase58(text)).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 2_000 },
  )
})

test('behavior: keys that begin alike are told apart, however often each is written', () => {
  const keys = Array.from({ length: 40 }, (_, last) => Buffer.alloc(32, 9).fill(last, 31))
  for (let round = 0; round < 3; round++)
    for (const key of [...keys, ...keys.toReversed()])
      expect(encodeKey(key, 0)).toBe(encodeBase58(key))
})

test('edge: what is read of a key that is cut is not kept for another one', () => {
  const key = Buffer.alloc(32, 3).fill(0, 20)
  encodeKey(key.subarray(0, 20), 0)
  expect(encodeKey(key, 0)).toBe(encodeBase58(key))
})
