import type { MarketReads } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import {
  isPairTvlKnown,
  readDayOpenUsd,
  readPairMarket,
  readPairNewestTrade,
  readPairRecord,
  readPairState,
  readPairTvlUsd,
} from './pairReads.ts'
import { readTargetPrice, readTokenPrice } from './prices/currentPrice.ts'
import { firstKlineRow, readLastClose, readTokenSeries } from './series/seriesReads.ts'
import { pairColumn as P } from './tables/pairTable.ts'
import { createTokenReads } from './tokenReads.ts'
import { WindowReads } from './windowReads.ts'

export function createMarketReads(state: MarketState, revertCount: () => number): MarketReads {
  const { catalog, klines, launches, limits } = state
  const windows = new WindowReads(state, revertCount)
  const { active } = state.windows
  // A block's time may be ahead of the reader's clock; reads then use the block's time as the
  // current time.
  const atLeastHead = (nowS: number) => Math.max(nowS, state.timeS)
  return {
    head: () => state.head,
    finalizedNumber: () => state.finalizedNumber,
    pairCount: () => catalog.pairCount,
    tokenCount: () => catalog.tokenCount,
    findPair: (address) => catalog.findPair(address),
    findToken: (address) => catalog.findToken(address),
    findTokensAnyCase: (lowerAddress) => catalog.idsOf(lowerAddress),
    pairState: (pairId) => readPairState(state, pairId),
    pairMarket: (pairId) => readPairMarket(state, pairId),
    pairRecord: (pairId) => readPairRecord(state, pairId),
    pairShares: (pairId) => catalog.pairShares(pairId),
    pairActivity: (pairId) => readPairNewestTrade(state, pairId),
    targetTokenOf: (pairId) =>
      state.pairs.page(pairId + 1)[state.pairs.at(pairId + 1) + P.targetToken]!,
    pairTvlUsd: (pairId) => readPairTvlUsd(state, pairId),
    isPairTvlKnown: (pairId) => isPairTvlKnown(state, pairId),
    pairPrice: (pairId) => readTargetPrice(state, pairId + 1),
    tokenPrice: (tokenId) => readTokenPrice(state, tokenId),
    pairDayOpenUsd: (pairId, nowS) => readDayOpenUsd(state.pairs, pairId + 1, atLeastHead(nowS)),
    ...createTokenReads(state),
    revertCount,
    pairWindow: (pairId, window, nowS) => windows.pair(pairId, window, atLeastHead(nowS)),
    pairTrading: (pairId, window, nowS) => windows.pairTrading(pairId, window, atLeastHead(nowS)),
    tokenWindow: (tokenId, window, nowS) => windows.token(tokenId, window, atLeastHead(nowS)),
    tokenTrading: (tokenId, window, nowS) =>
      windows.tokenTrading(tokenId, window, atLeastHead(nowS)),
    pairDayRange: (pairId, nowS) => windows.pairDayRange(pairId, atLeastHead(nowS)),
    tokenDayRange: (tokenId, nowS) => windows.tokenDayRange(tokenId, atLeastHead(nowS)),
    tokenDayVolumeUsd: (tokenId, nowS) => windows.tokenDayVolumeUsd(tokenId, atLeastHead(nowS)),
    openKline: (id, interval) => klines.openKline(firstKlineRow(state, id), interval),
    lastClose: (id) => readLastClose(state, id),
    tokenSeries: (tokenId) => readTokenSeries(state, tokenId),
    nativeUsd: () => state.rates.nativeUsd || null,
    // The clock of another chain may be ahead of this chain, especially while old blocks are read.
    nativeAtS: () => Math.min(state.rates.nativeAtS, state.timeS),
    activePairCount: () => active.count,
    activePair: (at) => active.pairOf(at + 1) - 1,
    tokenInterest: (tokenId, nowS) => windows.tokenInterest(tokenId, atLeastHead(nowS)),
    launched: (launchState) => launches.tokensInState(launchState, limits.launchedReadMax),
    launchedBy: (creator, max) => launches.launchedBy(creator, max, limits.launchesScannedMax),
  }
}
