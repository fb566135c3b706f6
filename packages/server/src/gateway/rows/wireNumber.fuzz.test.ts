import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalOfE8 } from '../../lib/decimal.ts'
import { usdOfE8 } from './wireNumber.ts'

test('behavior: a number equals its parsed text on the wire', () => {
  const amount = fc.oneof(
    fc.bigInt({ min: -(2n ** 100n), max: 2n ** 100n }),
    fc.bigInt(0n, 2n ** 54n),
  )
  fc.assert(
    fc.property(amount, (x) => {
      expect(usdOfE8(x)).toBe(Number(decimalOfE8(x)))
    }),
  )
})
