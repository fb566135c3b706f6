import type { Store } from '../openStore.ts'
import type { StoredCursor } from '../read/cursors.ts'
import type { ReadFloor } from './readFloor.ts'

/** Where history is read: stored rows up to what it settles on, and what memory has above them, are the whole. */
export type SettledReads = {
  store: Store
  /** Memory has the chain from behind this entry on. */
  begin(chainId: number, seq: number): void
  /** How far rows may be relied on, beside a memory that has the entries up to `appliedSeq`. Asked for again and again. */
  settle(chainId: number, appliedSeq: number): Promise<StoredCursor>
}

/** From the one database that there is. */
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
