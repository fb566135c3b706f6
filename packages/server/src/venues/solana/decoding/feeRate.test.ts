import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitFeesByRate } from './withheldFees.ts'

const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)

test('behavior: a sum of fees at one rate is split exactly over its transfers', () => {
  const amounts = fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(amounts, fc.bigInt(0n, 10_000n), (list, bps) => {
      const fees = list.map((amount) => (amount * bps + 9_999n) / 10_000n)
      expect(splitFeesByRate(list, sumOf(fees))).toEqual(fees)
    }),
  )
})

test('behavior: a sum that no rate gives is split as maximum fees, or by amount', () => {
  expect(splitFeesByRate([5_000n, 90_001n, 1_000n], 231n)).toEqual([77n, 77n, 77n])
  expect(splitFeesByRate([0n, 5n], 7n)).toEqual([0n, 7n])
  expect(sumOf(splitFeesByRate([10_000n, 1n, 30_000n], 31n))).toBe(31n)
})
