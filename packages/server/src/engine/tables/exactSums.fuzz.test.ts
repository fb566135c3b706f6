// Compares sums in limbs with sums of bigints, for integers of any size, whether a double holds
// them exactly or not.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BigWords } from './bigWords.ts'
import {
  addLimbs,
  addToThreeLimbs,
  addToTwoLimbs,
  bigintOfThreeLimbs,
  bigintOfTwoLimbs,
  subtractFromTwoLimbs,
  subtractLimbs,
  ThreeLimbs,
} from './exactSums.ts'

const integer = (bits: number) =>
  fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) }).map((value) => Number(value))

test('behavior: two limbs add and subtract exactly', () => {
  fc.assert(
    fc.property(fc.array(integer(80), { maxLength: 50 }), (values) => {
      const data = new Float64Array(4)
      for (const value of values) addToTwoLimbs(data, 1, value)
      const total = values.reduce((sum, value) => sum + BigInt(value), 0n)
      expect(bigintOfTwoLimbs(data, 1)).toBe(total)
      for (const value of values.toReversed()) subtractFromTwoLimbs(data, 1, value)
      expect(data).toEqual(new Float64Array(4))
    }),
  )
})

test('behavior: three limbs add amounts and numbers exactly', () => {
  const amounts = fc.array(fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n }), { maxLength: 50 })
  fc.assert(
    fc.property(amounts, fc.array(integer(110), { maxLength: 50 }), (bigs, numbers) => {
      const parts = new ThreeLimbs()
      const words = new BigWords()
      const data = new Float64Array(3)
      const again = new Float64Array(3)
      const addParts = () => {
        const [low, middle, high] = parts.limbs
        addToThreeLimbs(data, 0, low!, middle!, high!)
        addLimbs(again, 0, parts.limbs, 0, 3)
      }
      let total = 0n
      for (const amount of bigs) {
        words.set(amount)
        words.writeLimbs48(parts.limbs)
        addParts()
        total += amount < 0n ? -amount : amount
      }
      for (const value of numbers) {
        parts.setNumber(value)
        addParts()
        total += BigInt(value)
      }
      expect(bigintOfThreeLimbs(data, 0)).toBe(total)
      expect(again).toEqual(data)
      subtractLimbs(again, 0, data, 0, 3)
      expect(again).toEqual(new Float64Array(3))
    }),
  )
})
