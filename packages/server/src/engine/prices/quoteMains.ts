import type { MainPairEvent } from '../../model/marketEvent.ts'
import type { MarketState } from '../marketState.ts'
import { pairColumn as P } from '../tables/pairTable.ts'
import { tokenColumn as T } from '../tables/tokenTable.ts'

/**
 * Chooses main pairs for stablecoins, and for the native coin where it is always the quote. Their
 * price needs no pair, but their charts do: the deepest trusted pool of native coin and stablecoin.
 * Pools are weighed by their own price, so that an empty block changes nothing.
 */
export function judgeQuoteMains(state: MarketState, out: MainPairEvent[]): void {
  const { catalog, pairs, tokens, mainPairs, rates, limits, series, height } = state
  for (const pairId of catalog.nativePools) {
    const row = pairId + 1
    const tokenId = pairs.page(row)[pairs.at(row) + P.quoteToken]!
    if (tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.mainPair] !== 0) continue
    const shown = series.mainPairOf(tokenId)
    if (shown === row) continue
    const neededUsd = shown === 0 ? 0 : rates.nativePoolUsd(shown - 1) * limits.mainPairLeadRatio
    const usd = rates.nativePoolUsd(pairId)
    if (usd === 0 || usd < neededUsd) continue
    const old = series.followQuote(tokenId + 1, row, height)
    if (old === 0) mainPairs.firsts.push(tokenId)
    else
      out.push({
        type: 'mainPair',
        tokenId,
        oldPairId: old - 1,
        newPairId: pairId,
        isGraduation: false,
      })
  }
}
