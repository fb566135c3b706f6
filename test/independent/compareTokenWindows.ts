import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { createDifferences } from '../../packages/server/src/verify/compare/differences.ts'
import { addRange, emptyRange } from '../../packages/server/src/verify/rational.ts'
import type { Recomputed, RecomputedPair } from '../../packages/server/src/verify/recompute.ts'
import type { Trade } from '../../packages/server/src/verify/valueTrade.ts'
import { windowOf, windows } from './windows.ts'

/**
 * Trading of every token over its pools. Only pools that a factory or platform of the config announced are recomputed, so
 * what any other contract says was traded must not be there.
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
        // A round trip is one on the same pair.
        organicVolumeUsdE8: ofPairs.reduce(
          (sum, trades) => addRange(sum, windowOf(trades, window, nowS, null).organicVolumeUsdE8),
          emptyRange,
        ),
      }
      const actual = reads.tokenWindow(tokenId, index, nowS)
      const differences = createDifferences(`Token ${address} window ${window.lengthS} s`)
      for (const field of ['buyVolumeUsdE8', 'sellVolumeUsdE8', 'organicVolumeUsdE8'] as const)
        differences.inside(field, expected[field], actual[field])
      for (const field of ['buyCount', 'sellCount', 'makers', 'buyers', 'sellers'] as const)
        differences.same(field, expected[field], actual[field])
      differences.same('amountRaw', expected.amountRaw, actual.amountRaw)
      return differences.sentences
    })
  })
}

/** What was traded of the token: who buys the target of a pair sells what it is quoted in. */
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
