import { expect, test } from 'vitest'
import { balancerV3 } from './balancerV3.ts'

const unit = 10n ** 18n
const kept = (amounts: [bigint, bigint], fees: readonly bigint[], params: readonly bigint[]) =>
  balancerV3.reserveAmountsOf!({ amount0: amounts[0], amount1: amounts[1] }, fees, { params })

test('behavior: the vault’s part of a fee leaves the pool’s reserves on deposits and withdrawals', () => {
  const half = [0n, 1n, unit / 2n]
  expect(kept([1_000n, -400n], [7n, 0n], half)).toEqual({ amount0: 997n, amount1: -400n })
  expect(kept([-400n, 1_000n], [0n, 6n], half)).toEqual({ amount0: -400n, amount1: 997n })
  expect(kept([-50n, 0n], [4n, 0n], half)).toEqual({ amount0: -52n, amount1: 0n })
})

test('edge: all of it is the pool’s where nothing is kept, no fee is told, or the pool was never asked', () => {
  const all = { amount0: unit, amount1: -unit }
  expect(kept([unit, -unit], [unit / 100n, 0n], [0n, 1n, 0n])).toEqual(all)
  expect(kept([unit, -unit], [], [0n, 1n, unit])).toEqual(all)
  expect(kept([unit, -unit], [unit / 100n, 0n], [0n, 1n])).toEqual(all)
  expect(kept([unit, -unit], [unit / 100n, 0n], [])).toEqual(all)
})
