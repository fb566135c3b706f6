import type { MarketReads, WindowTrading } from '../../packages/server/src/engine/marketReads.ts'
import {
  createDifferences,
  type Differences,
  priceErrorMax,
} from '../../packages/server/src/verify/compare/differences.ts'
import {
  divide,
  type Rational,
  rational,
  toNumber,
} from '../../packages/server/src/verify/rational.ts'
import type { RecomputedPair } from '../../packages/server/src/verify/recompute.ts'
import { type ExactWindow, windowOf, windows } from './windows.ts'

// A percentage is a small difference of two numbers near 1: of their digits the first few cancel.
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
    for (const field of ['buyVolumeUsdE8', 'sellVolumeUsdE8', 'organicVolumeUsdE8'] as const)
      differences.inside(field, expected[field], actual[field])
    for (const field of ['buyCount', 'sellCount', 'makers', 'buyers', 'sellers'] as const)
      differences.same(field, expected[field], actual[field])
    differences.same('amountRaw', expected.amountRaw, actual.amountRaw)
    comparePrices(differences, expected, actual)
    return differences.sentences
  })
}

/** High, low and change. */
export function comparePrices(
  differences: Differences,
  expected: ExactWindow,
  actual: WindowTrading,
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

/** A window without a trade has not moved; a pair without a price has nothing to compare with. */
function changePercentOf({ openUsd, closeUsd }: ExactWindow): Rational | null {
  if (openUsd === null || closeUsd === null) return null
  const ratio = divide(closeUsd, openUsd)
  return rational((ratio.num - ratio.den) * 100n, ratio.den)
}
