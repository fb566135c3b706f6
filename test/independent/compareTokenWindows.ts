import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { createDifferences } from './differences.ts'
import type { Recomputed, RecomputedPair } from './recompute.ts'
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
    const trades = all.filter((pair) => targetOf(pair) === address).flatMap((pair) => pair.trades)
    return windows.flatMap((window, index) => {
      const expected = windowOf(trades, window, nowS)
      const actual = reads.tokenWindow(tokenId, index, nowS)
      const differences = createDifferences(`Token ${address} window ${window.lengthS} s`)
      for (const field of ['buyVolumeUsdE8', 'sellVolumeUsdE8'] as const)
        differences.inside(field, expected[field], actual[field])
      for (const field of ['buyCount', 'sellCount', 'makers', 'buyers', 'sellers'] as const)
        differences.same(field, expected[field], actual[field])
      differences.same('amountRaw', expected.amountRaw, actual.amountRaw)
      return differences.sentences
    })
  })
}

function targetOf({ targetSide, token0, token1 }: RecomputedPair): string {
  return targetSide === 0 ? token0 : token1
}
