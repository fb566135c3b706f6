import type { LogEntry } from '../model/logEntry.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import { AppliedBlocks } from './appliedBlocks.ts'
import { SnapshotNotFinalError } from './errors.ts'
import type { ImageSource } from './image/imageContents.ts'
import { decodeImage, encodeImage } from './image/marketImage.ts'
import type { MarketReads } from './marketReads.ts'
import { type EngineOptions, MarketState } from './marketState.ts'
import type { QuestionKind } from './openQuestions.ts'
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
import { decodeState, encodeState, hashState } from './snapshot/snapshot.ts'
import type { SnapshotBytes } from './tables/byteParts.ts'
import { pairColumn as P } from './tables/pairTable.ts'
import { createTokenReads } from './tokenReads.ts'
import { WindowReads } from './windowReads.ts'

/** The market of one chain as a deterministic state machine. */
export type Engine = MarketReads & {
  apply(entry: LogEntry): MarketEvent[]
  /**
   * The state as a snapshot, in parts that are created on demand and must all be read before the
   * next entry. Fails while a revertible block is applied, unless the reorg depth is 0.
   */
  snapshot(): Iterable<Uint8Array>
  /**
   * The state as it is in memory, for a fast restart of the same version. Each part is valid until
   * the next is requested.
   */
  image(): Iterable<Uint8Array>
  /** Last price of a pair in raw units of its tokens; 0 if it has no price. */
  pairPriceRaw(pairId: number): number
  /** Ids of the tokens or pairs with an open question of this kind, ascending. */
  openQuestions(kind: QuestionKind): Uint32Array
  /** Ids of the pairs that traded within a day. */
  activePairs(): number[]
  /**
   * Keeps memory within its limit during many reads: call it before each read with a running
   * number.
   */
  evictDuringScan(place: number): void
  /** Bytes of rows, records and indexes of tokens and pairs in memory. */
  residentBytes(): number
  /** Hash of the market: equal for equal markets, however they were reached. */
  stateHash(): string
}

export function createEngine(options: EngineOptions): Engine {
  return engineFromState(new MarketState(options))
}

/**
 * Creates an engine that continues from a snapshot. The snapshot may be split into parts anywhere.
 */
export function restoreEngine(options: EngineOptions, parts: SnapshotBytes): Engine {
  const state = new MarketState(options)
  decodeState(state, parts)
  return engineFromState(state)
}

/** Creates an engine that continues from an image, whose pages are read on demand. */
export function restoreImage(options: EngineOptions, source: ImageSource): Engine {
  const state = new MarketState(options)
  decodeImage(state, source)
  return engineFromState(state)
}

/** Creates an engine that continues from this state. */
export function engineFromState(state: MarketState): Engine {
  const history = new AppliedBlocks(state)
  state.memory.endWrite()

  function apply(entry: LogEntry): MarketEvent[] {
    state.memory.evictExcess()
    try {
      return applied(entry)
    } finally {
      state.memory.endWrite()
    }
  }

  function applied(entry: LogEntry): MarketEvent[] {
    switch (entry.type) {
      case 'commit':
        return history.commit(entry.block)
      case 'late':
        return history.late(entry.facts)
      case 'revert':
        return history.revert(entry.ref)
      case 'finalize':
        history.finalize(entry.ref.number)
        return []
    }
  }

  function assertFinal(): void {
    if (history.revertibleCount > 0)
      throw new SnapshotNotFinalError({
        head: state.head?.number ?? -1,
        finalized: state.finalizedNumber,
      })
  }

  function snapshot(): Iterable<Uint8Array> {
    assertFinal()
    return encodeState(state)
  }

  function image(): Iterable<Uint8Array> {
    assertFinal()
    return encodeImage(state)
  }

  return {
    ...createMarketReads(state, () => history.revertCount),
    apply,
    snapshot,
    image,
    pairPriceRaw: (pairId) =>
      state.pairs.page(pairId + 1)[state.pairs.at(pairId + 1) + P.priceRaw]!,
    openQuestions: (kind) => state.questions.ids(kind),
    activePairs() {
      const { active } = state.windows
      return Array.from({ length: active.count }, (_, place) => active.pairOf(place + 1) - 1)
    },
    evictDuringScan: (place) => state.memory.evictDuringScan(place),
    residentBytes: () => state.memory.residentBytes(),
    stateHash: () => hashState(state),
  }
}

function createMarketReads(state: MarketState, revertCount: () => number): MarketReads {
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
