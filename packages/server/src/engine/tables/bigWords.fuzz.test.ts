// Compares values computed from the words of a bigint with those of JavaScript.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { BigWords } from './bigWords.ts'
import { bigintOfThreeLimbs } from './exactSums.ts'

/** Amounts of every size, including those next to powers of two, where rounding changes. */
const amounts = fc.oneof(
  fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
  fc.bigInt({ min: -(2n ** 112n), max: 2n ** 112n }),
  fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), fc.integer())
    .map(([a, b, c]) => 2n ** BigInt(a) + 2n ** BigInt(b) + BigInt(c)),
)

test('behavior: double, sign and limbs equal those of the bigint', () => {
  const words = new BigWords()
  fc.assert(
    fc.property(amounts, (amount) => {
      words.set(amount)
      const plain = amount < 0n ? -amount : amount
      expect(words.approx).toBe(Number(amount))
      expect(words.isNegative).toBe(amount < 0n)
      expect(words.isWide).toBe(plain >= 2n ** 128n)
      const limbs = new Float64Array(3)
      words.writeLimbs48(limbs)
      expect(bigintOfThreeLimbs(limbs, 0)).toBe(words.isWide ? 2n ** 128n - 1n : plain)
      if (words.isWide) return
      words.writeLimbs52(limbs, 0)
      const [low, middle, high] = Array.from(limbs, BigInt)
      expect(low! + (middle! << 52n) + (high! << 104n)).toBe(plain)
    }),
    { numRuns: propertyRuns(2_000) },
  )
})
