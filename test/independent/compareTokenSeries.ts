import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import type { Kline } from '../../packages/server/src/model/klines/kline.ts'
import { compareInterval } from '../../packages/server/src/verify/compare/compareKlines.ts'
import {
  createDifferences,
  priceErrorMax,
} from '../../packages/server/src/verify/compare/differences.ts'
import { intervalsS, klinesOf } from '../../packages/server/src/verify/klines.ts'
import type { MarketProfile } from '../../packages/server/src/verify/marketProfile.ts'
import type { Recomputed } from '../../packages/server/src/verify/recompute.ts'
import { currentPriceOf } from './comparePair.ts'
import { comparePrices } from './compareWindows.ts'
import { highestUsd, tokenSeriesOf } from './tokenSeries.ts'
import { windowOf, windows } from './windows.ts'

/** All klines of a token, closed and open, oldest first. */
export type ReadTokenKlines = (tokenAddress: string, interval: number) => readonly Kline[]

/** Prices, changes, highs, lows and klines of tokens through every main pair they had. */
export function compareTokenSeries(
  recomputed: Recomputed,
  profile: MarketProfile,
  reads: MarketReads,
  readKlines: ReadTokenKlines,
): string[] {
  const nowS = recomputed.head.timeS
  return [...recomputed.tokens.keys()].flatMap((address) => {
    // Worth 1 by definition, whichever pair it may be the target of.
    if (profile.stables.includes(address)) return []
    const series = tokenSeriesOf(recomputed, profile, address)
    const tokenId = reads.findToken(address)
    if (series === null || tokenId === undefined) return []
    const subject = `Token ${address}`
    const differences = createDifferences(subject)
    const mainPairId = reads.mainPairOf(tokenId)
    const mainPair = mainPairId === null ? 'none' : reads.pairRecord(mainPairId).address
    differences.same('main pair', series.mainPair.address, mainPair)
    const { athUsd, price } = reads.tokenState(tokenId)
    const current = currentPriceOf(recomputed, series.mainPair, profile)
    differences.near('price', current.usd, price?.usd ?? null, priceErrorMax)
    differences.near('native price', current.native, price?.native ?? null, priceErrorMax)
    differences.near('athUsd', highestUsd(series.trades), athUsd, priceErrorMax)
    const ofWindows = windows.flatMap((window, index) => {
      const expected = windowOf(series.trades, window, nowS, current.usd)
      const actual = reads.tokenWindow(tokenId, index, nowS)
      const ofWindow = createDifferences(`${subject} window ${window.lengthS} s`)
      comparePrices(ofWindow, expected, actual)
      return ofWindow.sentences
    })
    const ofKlines = intervalsS.flatMap((intervalS, interval) =>
      compareInterval(
        `${subject} ${intervalS} s`,
        klinesOf(series.trades, intervalS),
        readKlines(address, interval),
      ),
    )
    return [...differences.sentences, ...ofWindows, ...ofKlines]
  })
}
