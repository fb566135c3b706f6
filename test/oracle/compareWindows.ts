import type { MarketReads, MarketWindow } from '../../packages/server/src/engine/marketReads.ts'
import { createDifferences, type Differences, priceErrorMax } from './differences.ts'
import type { Recomputed, RecomputedPair, Trade } from './market.ts'
import { addRange, divide, emptyRange, type Rational, rational, toNumber } from './rational.ts'
import { type ExactWindow, windowOf, windows } from './windows.ts'

// A percentage is a small difference of two numbers near 1, whose leading digits cancel.
const changeErrorMaxPercent = 1e-12

export function compareWindows(
  pair: RecomputedPair,
  currentUsd: Rational | null,
  reads: MarketReads,
  pairId: number,
  nowS: number,
): string[] {
  return windows.flatMap((window, index) => {
    const expected = windowOf(pair.trades, window, nowS, currentUsd)
    const actual = reads.pairWindow(pairId, index, nowS)
    const differences = createDifferences(
      `Pair ${pair.address} window ${window.lengthS} s at ${nowS}`,
    )
    compareTrading(differences, expected, actual)
    comparePrices(differences, expected, actual)
    return differences.sentences
  })
}

/** Compares volumes, counts and wallets. */
function compareTrading(
  differences: Differences,
  expected: ExactWindow,
  actual: MarketWindow,
): void {
  for (const field of ['buyVolumeUsdE8', 'sellVolumeUsdE8', 'organicVolumeUsdE8'] as const)
    differences.inside(field, expected[field], actual[field])
  for (const field of ['buyCount', 'sellCount', 'makers', 'buyers', 'sellers'] as const)
    differences.same(field, expected[field], actual[field])
  differences.same('amountRaw', expected.amountRaw, actual.amountRaw)
}

/** Compares high, low and change. */
export function comparePrices(
  differences: Differences,
  expected: ExactWindow,
  actual: MarketWindow,
): void {
  for (const field of ['highUsd', 'lowUsd'] as const)
    differences.near(field, expected[field], actual[field], priceErrorMax)
  const change = changePercentOf(expected)
  const actualChange = actual.changePercent
  const isNear =
    change === null || actualChange === null
      ? change === actualChange
      : Math.abs(toNumber(change) - actualChange) <= changeErrorMaxPercent
  if (!isNear) differences.same('changePercent', change && toNumber(change), actualChange)
}

/** The change is 0 in a window without a trade, and null for a pair without a price. */
function changePercentOf({ openUsd, closeUsd }: ExactWindow): Rational | null {
  if (openUsd === null || closeUsd === null) return null
  const ratio = divide(closeUsd, openUsd)
  return rational((ratio.num - ratio.den) * 100n, ratio.den)
}

/**
 * Compares trading of every token over its pools. Only pools that a configured factory or platform
 * announced are recomputed: trades reported by any other contract must not be counted.
 */
export function compareTokenWindows(
  { pairs, tokens }: Recomputed,
  reads: MarketReads,
  nowS: number,
): string[] {
  const all = [...pairs.values()]
  return [...tokens.keys()].flatMap((address) => {
    const tokenId = reads.findToken(address)
    if (tokenId === undefined) return [`Token ${address} is not known to the service.`]
    const ofPairs = all.map((pair) => tradesOf(pair, address))
    return windows.flatMap((window, index) => {
      const expected = {
        ...windowOf(ofPairs.flat(), window, nowS, null),
        // Round trips are counted per pair.
        organicVolumeUsdE8: ofPairs.reduce(
          (sum, trades) => addRange(sum, windowOf(trades, window, nowS, null).organicVolumeUsdE8),
          emptyRange,
        ),
      }
      const actual = reads.tokenWindow(tokenId, index, nowS)
      const differences = createDifferences(`Token ${address} window ${window.lengthS} s`)
      compareTrading(differences, expected, actual)
      return differences.sentences
    })
  })
}

/** Trades of the token: a buy of the pair's target token is a sell of its quote token. */
function tradesOf(pair: RecomputedPair, address: string): readonly Trade[] {
  if (pair.token0 !== address && pair.token1 !== address) return []
  if (targetOf(pair) === address) return pair.trades
  return pair.trades.map((trade) => {
    const amount = pair.targetSide === 0 ? trade.amount1 : trade.amount0
    return { ...trade, isBuy: amount < 0n, targetAmount: amount < 0n ? -amount : amount }
  })
}

function targetOf({ targetSide, token0, token1 }: RecomputedPair): string {
  return targetSide === 0 ? token0 : token1
}
