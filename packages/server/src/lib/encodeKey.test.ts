import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { encodeKey } from './encodeKey.ts'

test('behavior: a key is written as any bytes are', () => {
  const key = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    // Zeros in front, and the highest numbers of all.
    fc
      .tuple(fc.nat({ max: 32 }), fc.constantFrom(0, 1, 57, 58, 255))
      .map(([zeros, value]) => new Uint8Array(32).fill(value, zeros)),
  )
  fc.assert(
    fc.property(key, fc.nat({ max: 5 }), (bytes, before) => {
      const text = encodeKey(Buffer.concat([Buffer.alloc(before, 7), bytes]), before)
      expect(text).toBe(encodeBase58(bytes))
      expect(decodeBase58(text)).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 2_000 },
  )
})
