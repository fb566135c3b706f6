import type { MarketProfile, Pool } from './market.ts'
import {
  add,
  compare,
  divide,
  invert,
  multiply,
  type Rational,
  rational,
  rationalOf,
  scaleByTen,
} from './rational.ts'

/**
 * USD per native coin: the prices of its trusted pools against stablecoins, each weighted by the
 * pool's liquidity on both sides at its own price. Null while no pool has enough liquidity. A coin
 * that is a stablecoin is worth 1.
 */
export function nativeUsdOf(
  pools: Iterable<Pool>,
  profile: MarketProfile,
  decimalsOf: (token: string) => number,
): Rational | null {
  const { wrappedToken } = profile.native
  if (profile.stables.includes(wrappedToken)) return rational(1n)
  const usdMin = rationalOf(profile.nativePoolUsdMin)
  let weighted = rational(0n)
  let weights = rational(0n)
  for (const pool of pools) {
    const { token0, token1 } = pool
    if (pool.kind === 'curve' || pool.price === null) continue
    const isNative0 = token0 === wrappedToken
    if (!isNative0 && token1 !== wrappedToken) continue
    if (!profile.stables.includes(isNative0 ? token1 : token0)) continue
    const amount0 = scaleByTen(rational(pool.reserve0), -decimalsOf(token0))
    const amount1 = scaleByTen(rational(pool.reserve1), -decimalsOf(token1))
    const price1Per0 = scaleByTen(pool.price, decimalsOf(token0) - decimalsOf(token1))
    const usd = isNative0 ? price1Per0 : invert(price1Per0)
    const value = isNative0
      ? add(multiply(amount0, usd), amount1)
      : add(multiply(amount1, usd), amount0)
    if (value.num === 0n || compare(value, usdMin) < 0) continue
    weighted = add(weighted, multiply(usd, value))
    weights = add(weights, value)
  }
  return weights.num === 0n ? null : divide(weighted, weights)
}
