import { expect, test } from 'vitest'
import { binPrice } from './binPrice.ts'
import { amountsOfLiquidity, sqrtPriceAtTick } from './concentratedPrice.ts'

test('default: prices at both ends of the range and in the middle equal the contracts’', () => {
  expect(sqrtPriceAtTick(-887_272n)).toBe(4_295_128_739n)
  expect(sqrtPriceAtTick(887_272n)).toBe(1461446703485210103287273052203988822378723970342n)
  expect(sqrtPriceAtTick(0n)).toBe(2n ** 96n)
  expect(sqrtPriceAtTick(887_273n)).toBe(null)
})

test('behavior: one tick changes the price by a ten-thousandth', () => {
  for (const tick of [-500_000n, -60n, -1n, 1n, 7n, 12_345n, 700_000n]) {
    const price = (Number(sqrtPriceAtTick(tick)) / 2 ** 96) ** 2
    expect(price / 1.0001 ** Number(tick)).toBeCloseTo(1, 8)
  }
})

test('behavior: liquidity in range is made of both tokens, outside of one', () => {
  const ticks = [-60n, 60n] as const
  const inside = amountsOfLiquidity(10n ** 18n, ticks, 2n ** 96n)!
  // Liquidity of 1e18 within 60 ticks of a price of 1: 1 - 1.0001^-30 of each token, rounded up.
  expect(Number(inside.amount0) / 1e18).toBeCloseTo(1 - 1.0001 ** -30, 12)
  expect(Number(inside.amount1) / 1e18).toBeCloseTo(1 - 1.0001 ** -30, 12)
  expect(amountsOfLiquidity(-(10n ** 18n), ticks, 2n ** 96n)).toEqual({
    amount0: inside.amount0 - 1n,
    amount1: inside.amount1 - 1n,
  })
  expect(amountsOfLiquidity(10n ** 18n, ticks, sqrtPriceAtTick(-100n)!)).toMatchObject({
    amount1: 0n,
  })
  expect(amountsOfLiquidity(10n ** 18n, ticks, sqrtPriceAtTick(100n)!)).toMatchObject({
    amount0: 0n,
  })
  expect(amountsOfLiquidity(1n, [60n, -60n], 2n ** 96n)).toBe(null)
})

test('behavior: one bin changes the price by one step', () => {
  const even = 2n ** 23n
  expect(binPrice(even, 20n)).toBe(1)
  for (const away of [-5_000n, -1n, 1n, 333n, 9_000n])
    expect(binPrice(even + away, 20n)! / 1.002 ** Number(away)).toBeCloseTo(1, 9)
  expect(binPrice(even + 2n ** 20n, 20n)).toBe(null)
  expect(binPrice(even, 0n)).toBe(null)
})
