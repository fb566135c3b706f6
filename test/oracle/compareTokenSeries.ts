import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { compareKlines, type ReadKlines } from './compareKlines.ts'
import { currentPriceOf } from './comparePair.ts'
import { comparePrices } from './compareWindows.ts'
import { createDifferences, priceErrorMax } from './differences.ts'
import type { Recomputed } from './market.ts'
import { highestUsd, tokenSeriesOf } from './tokenSeries.ts'
import { windowOf, windows } from './windows.ts'

/** Compares prices, changes, highs, lows and klines of tokens across all their main pairs. */
export function compareTokenSeries(
  recomputed: Recomputed,
  reads: MarketReads,
  readKlines: ReadKlines,
): string[] {
  const nowS = recomputed.head.timeS
  return [...recomputed.tokens.keys()].flatMap((address) => {
    // Stablecoins are worth 1 by definition, whichever pair has them as target token.
    if (recomputed.profile.stables.includes(address)) return []
    const series = tokenSeriesOf(recomputed, address)
    const tokenId = reads.findToken(address)
    if (series === null || tokenId === undefined) return []
    const subject = `Token ${address}`
    const differences = createDifferences(subject)
    const mainPairId = reads.mainPairOf(tokenId)
    const mainPair = mainPairId === null ? 'none' : reads.pairRecord(mainPairId).address
    differences.same('main pair', series.mainPair.address, mainPair)
    const { athUsd, price } = reads.tokenState(tokenId)
    const current = currentPriceOf(recomputed, series.mainPair)
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
    const ofKlines = compareKlines(subject, series.trades, (at) => readKlines(address, at))
    return [...differences.sentences, ...ofWindows, ...ofKlines]
  })
}
