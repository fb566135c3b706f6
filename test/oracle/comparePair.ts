import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { currentKline } from '../../packages/server/src/model/klines/currentKline.ts'
import { createDifferences, klineErrorMax, priceErrorMax } from './differences.ts'
import { bucketStartS, intervalsS } from './klines.ts'
import type { MarketProfile, Recomputed, RecomputedPair } from './market.ts'
import { add, compare, multiply, type Rational, rational, scaleByTen } from './rational.ts'
import { quoteRatesOf, targetPriceOf } from './valueTrade.ts'

const zero = rational(0n)

/** Compares reserves, prices and depth of one pair after the head. */
export function comparePair(
  recomputed: Recomputed,
  pair: RecomputedPair,
  reads: MarketReads,
  pairId: number,
): string[] {
  const differences = createDifferences(`${pair.kind} pair ${pair.address}`)
  const state = reads.pairState(pairId)
  const tokenAt = (tokenId: number) => reads.tokenState(tokenId).record.address
  differences.same('token0', pair.token0, tokenAt(state.record.token0Id))
  differences.same('token1', pair.token1, tokenAt(state.record.token1Id))
  const target = pair.targetSide === 0 ? pair.token0 : pair.token1
  differences.same('target token', target, tokenAt(state.targetTokenId))
  differences.same('isTrusted', 'true', String(state.record.isTrusted))
  differences.same('reserve0', pair.reserve0, state.reserve0)
  differences.same('reserve1', pair.reserve1, state.reserve1)
  differences.near('priceRaw', pair.price ?? zero, state.priceRaw, priceErrorMax)
  const first = pair.trades[0]
  differences.same('firstTradeAtS', first?.timeS ?? 0, state.firstTradeAtS)
  differences.same('firstTradeBlock', first?.blockNumber ?? 0, state.firstTradeBlock)
  const atOnce = pair.trades.filter(({ blockNumber }) => blockNumber === first?.blockNumber)
  differences.same('firstTradeSwaps', atOnce.length, state.firstTradeSwaps)
  differences.same('lastTradeAtS', pair.trades.at(-1)?.timeS ?? 0, state.lastTradeAtS)
  const prices = pricesOf(recomputed, pair)
  for (const field of ['price0Usd', 'price1Usd', 'price0Native', 'price1Native'] as const)
    differences.near(field, prices[field], state[field], priceErrorMax)
  const worth = (token: string, reserve: bigint, priceUsd: Rational | null) =>
    multiply(scaleByTen(rational(reserve), -decimalsOf(recomputed, token)), priceUsd ?? zero)
  const tvlUsd = add(
    worth(pair.token0, pair.reserve0, prices.price0Usd),
    worth(pair.token1, pair.reserve1, prices.price1Usd),
  )
  differences.near('tvlUsd', tvlUsd, state.tvlUsd, priceErrorMax)
  return differences.sentences
}

function decimalsOf(recomputed: Recomputed, token: string): number {
  return recomputed.tokens.get(token)?.decimals ?? 0
}

/** Price of one whole token; null when unknown. */
export type CurrentPrice = { usd: Rational | null; native: Rational | null }

/** Price of the pair's target token, by its last swap and the rates after the head. */
export function currentPriceOf(recomputed: Recomputed, pair: RecomputedPair): CurrentPrice {
  const prices = pricesOf(recomputed, pair)
  return pair.targetSide === 0
    ? { usd: prices.price0Usd, native: prices.price0Native }
    : { usd: prices.price1Usd, native: prices.price1Native }
}

/** Prices of both tokens, by the pair's own price and the rates after the head. */
function pricesOf(recomputed: Recomputed, pair: RecomputedPair) {
  const { profile } = recomputed
  const { targetSide, token0, token1, price } = pair
  const nativeUsd = recomputed.nativeUsd.at(-1) ?? null
  const quote = quoteRatesOf(targetSide === 0 ? token1 : token0, profile, nativeUsd)
  const inQuote =
    price && targetPriceOf(pair, price, targetSide, (token) => decimalsOf(recomputed, token))
  const target = {
    usd: inQuote && quote.usd && multiply(inQuote, quote.usd),
    native: inQuote && nativeOf(pair, profile, inQuote, quote.native),
  }
  const [side0, side1] = targetSide === 0 ? [target, quote] : [quote, target]
  return {
    price0Usd: side0.usd,
    price1Usd: side1.usd,
    price0Native: side0.native,
    price1Native: side1.native,
  }
}

/** The native coin's price in itself is 1. */
function nativeOf(
  { targetSide, token0, token1 }: RecomputedPair,
  { native }: MarketProfile,
  inQuote: Rational,
  rate: Rational | null,
): Rational | null {
  if ((targetSide === 0 ? token0 : token1) === native.wrappedToken) return rational(1n)
  return rate && multiply(inQuote, rate)
}

/** Compares the kline of the head's bucket: its trades, and the current price as its close. */
export function compareKlineNow(
  pair: RecomputedPair,
  current: CurrentPrice,
  headS: number,
  reads: MarketReads,
  pairId: number,
): string[] {
  if (pair.trades.length === 0) return []
  const lastClose = reads.lastClose(pairId)
  return intervalsS.flatMap((intervalS, interval) => {
    const differences = createDifferences(`Pair ${pair.address} ${intervalS} s kline now`)
    const startS = bucketStartS(headS, intervalS)
    const traded = reads.openKline(pairId, interval)
    const actual = currentKline({ startS, traded, lastClose, current: reads.pairPrice(pairId) })
    const inside = pair.trades.filter(({ timeS }) => timeS >= startS)
    differences.same('count', inside.length, actual?.count ?? 0)
    for (const [unit, field] of [
      ['usd', 'priceUsd'],
      ['native', 'priceNative'],
    ] as const) {
      const now = current[unit]
      if (now === null) continue
      const before = pair.trades.findLast((trade) => trade.timeS < startS && trade[field] !== null)
      const trades = before === undefined ? inside : [before, ...inside]
      const prices = [...trades.flatMap((trade) => trade[field] ?? []), now]
      // A price that did not move since the last trade opens no kline.
      const close = lastClose[unit]
      const ohlc = actual?.[unit] ?? { open: close, high: close, low: close, close }
      const expected = { open: prices[0]!, high: highest(prices), low: lowest(prices), close: now }
      for (const name of ['open', 'high', 'low', 'close'] as const)
        differences.near(`${unit}.${name}`, expected[name], ohlc[name], klineErrorMax)
    }
    return differences.sentences
  })
}

function highest(prices: readonly Rational[]): Rational {
  return prices.reduce((a, b) => (compare(a, b) >= 0 ? a : b))
}

function lowest(prices: readonly Rational[]): Rational {
  return prices.reduce((a, b) => (compare(a, b) <= 0 ? a : b))
}
