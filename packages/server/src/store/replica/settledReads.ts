import type { Store } from '../openStore.ts'
import type { StoredCursor } from '../read/cursors.ts'
import type { ReadFloor } from './readFloor.ts'

/**
 * Source of history: stored rows up to the settled entry and memory's entries above it are complete
 * together.
 */
export type SettledReads = {
  store: Store
  /** Memory has the chain after this entry. */
  begin(chainId: number, seq: number): void
  /**
   * The entry up to which stored rows can be used, beside a memory with entries up to `appliedSeq`.
   * Called for every read.
   */
  settle(chainId: number, appliedSeq: number): Promise<StoredCursor>
}

/** Reads from the only database. */
export function createSettledReads(store: Store, floor: ReadFloor): SettledReads {
  return {
    store,
    begin: floor.raise,
    async settle(chainId, appliedSeq) {
      const cursor = await store.loadCursor(chainId)
      floor.raise(chainId, Math.min(cursor.seq, appliedSeq))
      return cursor
    },
  }
}
