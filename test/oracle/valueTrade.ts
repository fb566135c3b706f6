import type { Holdings, MarketProfile, Pool, Swap, Trade } from './market.ts'
import {
  emptyRange,
  invert,
  multiply,
  type Range,
  type Rational,
  rational,
  round,
  scaleByTen,
} from './rational.ts'

/** Price of one whole unit of a pool's quote token. */
export type QuoteRates = { usd: Rational | null; native: Rational | null }

/**
 * A service may value a trade in doubles, which can differ from the exact value before it is
 * rounded to an integer. The calculation has at most 32 roundings of 2^-53 each: reserves, ratio,
 * scaling, the weights and their sums, the amount, two products. Any integer that a value within
 * this error rounds to is accepted.
 */
const doubtBits = 48n

export function rangeOf({ num, den }: Rational): Range {
  const scale = 1n << doubtBits
  return {
    low: round({ num: num * (scale - 1n), den: den * scale }),
    high: round({ num: num * (scale + 1n), den: den * scale }),
  }
}

/** The side that is not a quote asset; of two quote assets the less preferred one. */
export function targetSideOf(
  pool: Pick<Pool, 'token0' | 'token1'>,
  quotes: readonly string[],
): 0 | 1 {
  const rank0 = quotes.indexOf(pool.token0)
  const rank1 = quotes.indexOf(pool.token1)
  if (rank0 < 0) return 0
  return rank1 < 0 || rank1 > rank0 ? 1 : 0
}

export function quoteRatesOf(
  quote: string,
  profile: MarketProfile,
  nativeUsd: Rational | null,
): QuoteRates {
  if (quote === profile.native.wrappedToken) return { usd: nativeUsd, native: rational(1n) }
  if (!profile.stables.includes(quote)) return { usd: null, native: null }
  return { usd: rational(1n), native: nativeUsd && invert(nativeUsd) }
}

/** Price of one whole target token in whole quote tokens. */
export function targetPriceOf(
  pool: Pick<Pool, 'token0' | 'token1'>,
  priceRaw: Rational,
  side: 0 | 1,
  decimalsOf: (token: string) => number,
): Rational {
  const price1Per0 = scaleByTen(priceRaw, decimalsOf(pool.token0) - decimalsOf(pool.token1))
  return side === 0 ? price1Per0 : invert(price1Per0)
}

export type ValueTradeOptions = {
  swap: Swap
  origin: Pick<Trade, 'blockNumber' | 'timeS' | 'logIndex' | 'txHash' | 'wallet'>
  balances: Pick<Holdings, 'balanceOf'>
  profile: MarketProfile
  /** USD price of the native coin after the previous block. */
  nativeUsd: Rational | null
  decimalsOf: (token: string) => number
}

export function valueTrade(options: ValueTradeOptions): Trade {
  const { swap, origin, balances, profile, nativeUsd, decimalsOf } = options
  const { pool, amount0, amount1 } = swap
  if (pool.price === null) throw new Error(`Pool ${pool.address} trades before it has a price.`)
  const side = targetSideOf(pool, profile.quotes)
  const [targetToken, quote] = side === 0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const target = side === 0 ? amount0 : amount1
  const rates = quoteRatesOf(quote, profile, nativeUsd)
  const price = targetPriceOf(pool, pool.price, side, decimalsOf)
  const paid = scaleByTen(rational(magnitude(side === 0 ? amount1 : amount0)), -decimalsOf(quote))
  const given = scaleByTen(rational(magnitude(target)), -decimalsOf(targetToken))
  const worth = (rate: Rational | null, decimals: number) =>
    rate ? rangeOf(scaleByTen(multiply(paid, rate), decimals)) : emptyRange
  const { stables, native } = profile
  // If the target token is itself a stablecoin or the native coin, its own amount is the value,
  // whatever the rate.
  const isOwnUsd = !stables.includes(quote) && stables.includes(targetToken)
  const isTargetNative = targetToken === native.wrappedToken
  const ownNative =
    quote === native.wrappedToken ? magnitude(side === 0 ? amount1 : amount0) : magnitude(target)
  return {
    ...origin,
    amount0,
    amount1,
    reserve0: pool.reserve0,
    reserve1: pool.reserve1,
    holding0: balances.balanceOf(pool.token0, origin.wallet),
    holding1: balances.balanceOf(pool.token1, origin.wallet),
    isBuy: target < 0n,
    priceRaw: pool.price,
    priceUsd: rates.usd && multiply(price, rates.usd),
    priceNative: isTargetNative ? rational(1n) : rates.native && multiply(price, rates.native),
    targetAmount: magnitude(target),
    usdE8: isOwnUsd ? rangeOf(scaleByTen(given, 8)) : worth(rates.usd, 8),
    nativeRaw:
      isTargetNative || quote === native.wrappedToken
        ? { low: ownNative, high: ownNative }
        : worth(rates.native, native.decimals),
  }
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
