import type { MarketReads } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { readPairState } from './pairReads.ts'
import { createTokenReads } from './tokenReads.ts'
import { Trending } from './trending.ts'
import { readPairWindow, readTokenWindow } from './windowReads.ts'

export function createReads(state: MarketState, revertCount: () => number): MarketReads {
  const { catalog, klines, launches, limits } = state
  const trending = new Trending(state, revertCount)
  const tokenReads = createTokenReads(state)
  // A block may be ahead of the reader's clock; its trades are not in the future of anyone.
  const atLeastHead = (nowS: number) => Math.max(nowS, state.timeS)
  return {
    head: () => state.head,
    finalizedNumber: () => state.finalizedNumber,
    pairCount: () => catalog.pairs.length,
    tokenCount: () => catalog.tokens.current.length,
    findPair: (address) => catalog.pairIds.get(address),
    findToken: (address) => catalog.tokenIds.get(address),
    pairState: (pairId) => readPairState(state, pairId),
    tokenState: tokenReads.tokenState,
    tokenActivity: tokenReads.tokenActivity,
    pairWindow: (pairId, window, nowS) => readPairWindow(state, pairId, window, atLeastHead(nowS)),
    tokenWindow: (tokenId, window, nowS) =>
      readTokenWindow(state, tokenId, window, atLeastHead(nowS)),
    openKline: (pairId, interval) => klines.find(pairId, interval),
    nativeUsd: () => state.rates.nativeUsd || null,
    trending: (nowS, offset, limit) => trending.page(atLeastHead(nowS), offset, limit),
    trendingCount: (nowS) => trending.count(atLeastHead(nowS)),
    search: tokenReads.search,
    launched: (launchState) => launches.list(launchState, limits.launchedReadMax),
  }
}
