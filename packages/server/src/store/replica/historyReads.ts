import type { Store } from '../openStore.ts'
import type { StoredCursor } from '../read/cursors.ts'
import type { RequiredSeqs } from './requiredSeqs.ts'

/**
 * Source of history: stored rows up to the settled entry and memory's entries above it are complete
 * together.
 */
export type HistoryReads = {
  store: Store
  /** Memory has the chain after this entry. */
  startAt(chainId: number, seq: number): void
  /**
   * The entry up to which stored rows can be used, beside a memory with entries up to `appliedSeq`.
   * Called for every read.
   */
  usableCursor(chainId: number, appliedSeq: number): Promise<StoredCursor>
}

/** Reads from the only database. */
export function createPrimaryReads(store: Store, floor: RequiredSeqs): HistoryReads {
  return {
    store,
    startAt: floor.raise,
    async usableCursor(chainId, appliedSeq) {
      const cursor = await store.loadCursor(chainId)
      floor.raise(chainId, Math.min(cursor.seq, appliedSeq))
      return cursor
    },
  }
}
