import { strict as assert } from 'node:assert'

export type EntryCreditOptions = {
  /** Entries the sender may have under way. */
  aheadMax: number
  queueBlocksMax: number
  queueBytesMax: number
}

/** Decides which applied entries are acknowledged: each lets the sender send one more. */
type EntryCredit = {
  applied(count: number): void
  /** How many may be acknowledged now, given what waits to be stored. They count as acknowledged. */
  take(queue: { queuedBlocks: number; queuedBytes: number }): number
}

/** Holds back so many that all the sender may still send finds room in the queue: it never grows over its limit. */
export function createEntryCredit(options: EntryCreditOptions): EntryCredit {
  const { aheadMax, queueBlocksMax, queueBytesMax } = options
  assert(aheadMax <= queueBlocksMax, 'the queue has room for all that is under way')
  let heldCount = 0
  return {
    applied(count) {
      heldCount += count
    },
    take({ queuedBlocks, queuedBytes }) {
      if (queuedBytes >= queueBytesMax) return 0
      const keptCount = Math.max(0, queuedBlocks + aheadMax - queueBlocksMax)
      const count = Math.max(0, heldCount - keptCount)
      heldCount -= count
      return count
    },
  }
}
