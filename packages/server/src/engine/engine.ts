import type { LogEntry } from '../model/logEntry.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import { BlockHistory } from './blockHistory.ts'
import { SnapshotNotFinalError } from './errors.ts'
import type { MarketReads } from './marketReads.ts'
import { type EngineOptions, MarketState } from './marketState.ts'
import { createReads } from './reads.ts'
import { decodeState, encodeState, hashBytes } from './snapshot/snapshot.ts'
import type { SnapshotBytes } from './tables/bytes.ts'
import { pairColumn as P } from './tables/pairTable.ts'

/** The market of one chain as a deterministic state machine. */
export type Engine = MarketReads & {
  apply(entry: LogEntry): MarketEvent[]
  /**
   * The state as bytes, in parts that are made when they are asked for, all before the next entry. Every applied block must be finalized, or
   * the reorg depth 0.
   */
  snapshot(): Iterable<Uint8Array>
  /** Of the pool's raw units; 0: it has none. */
  pairPriceRaw(pairId: number): number
  /** Its creation was looked for after it was discovered late, whether it was found or not. */
  isCreationSearched(pairId: number): boolean
  /** The same of a token. */
  isTokenCreationSearched(tokenId: number): boolean
  /** For whoever goes through all tokens or pairs at once, before each of them: memory stays within its limit. */
  settleAt(place: number): void
  /** Equal for equal markets, whatever way led there. */
  stateHash(): string
}

export function createEngine(options: EngineOptions): Engine {
  return createEngineOn(new MarketState(options))
}

/** An engine that goes on from a snapshot as if it had never stopped. The parts may be divided in any way. */
export function restoreEngine(options: EngineOptions, parts: SnapshotBytes): Engine {
  const state = new MarketState(options)
  decodeState(state, parts)
  return createEngineOn(state)
}

function createEngineOn(state: MarketState): Engine {
  const history = new BlockHistory(state)

  function apply(entry: LogEntry): MarketEvent[] {
    state.memory.settle()
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

  function snapshot(): Iterable<Uint8Array> {
    if (history.heldCount > 0)
      throw new SnapshotNotFinalError({
        head: state.head?.number ?? -1,
        finalized: state.finalizedNumber,
      })
    return encodeState(state)
  }

  return {
    ...createReads(state, () => history.revertCount),
    apply,
    snapshot,
    pairPriceRaw: (pairId) =>
      state.pairs.page(pairId + 1)[state.pairs.at(pairId + 1) + P.priceRaw]!,
    isCreationSearched: (pairId) => state.catalog.searchedPairs.has(pairId),
    isTokenCreationSearched: (tokenId) => state.catalog.tokenCreation(tokenId) !== undefined,
    settleAt: (place) => state.memory.settleAt(place),
    stateHash: () => hashBytes(encodeState(state)),
  }
}
