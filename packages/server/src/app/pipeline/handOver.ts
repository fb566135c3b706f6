import { encodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import type { LateFacts, LogEntry } from '../../model/logEntry.ts'
import type { Doubt, SettledDoubts } from '../../model/trust/doubt.ts'
import type { LeftOutChanges } from '../../model/trust/leftOut.ts'

/** One log entry on its way from a chain's thread to its engine. */
export type HandedEntry = {
  type: LogEntry['type']
  ref: BlockRef
  bytes: Uint8Array
  /**
   * What the ledger changed, as encodeUndo writes it, or of a final block encodeChanges; of a revert, what the block
   * had changed. Null: nothing.
   */
  changes: Uint8Array | null
  /** The block was final when it was read: it will never be reverted. */
  isFinal: boolean
  /** Of a block: unix seconds of the newest one that a node had reported. */
  tipTimeS?: number
  /** Why what the block says may not be true. Undefined or null: nothing speaks against it. */
  doubt?: Doubt | null
  /** What was found out of blocks that were in doubt. Undefined or null: nothing. */
  settledDoubts?: SettledDoubts | null
  /** What the block changes of the contracts whose events are left out. Undefined or null: nothing. */
  leftOut?: LeftOutChanges | null
}

export function handCommit(
  block: FinishedBlock,
  facts: Pick<HandedEntry, 'isFinal' | 'doubt' | 'settledDoubts' | 'leftOut'> & {
    changes: Uint8Array
    tipTimeS: number
  },
): HandedEntry {
  const bytes = encodeEntry({ type: 'commit', block })
  return { type: 'commit', ref: block.ref, bytes, ...facts }
}

/** Entries without a time of their own carry the head's. */
export function handLate(facts: LateFacts, headTimeS: number): HandedEntry {
  const ref = { ...facts.ref, parentNumber: -1, parentHash: '', timeS: headTimeS }
  const bytes = encodeEntry({ type: 'late', facts })
  return { type: 'late', ref, bytes, changes: null, isFinal: false }
}

export function handRevert(ref: BlockRef, changes: Uint8Array): HandedEntry {
  return {
    type: 'revert',
    ref,
    bytes: encodeEntry({ type: 'revert', ref }),
    changes,
    isFinal: false,
  }
}

export function handFinalize(
  ref: { number: number; hash: string },
  headTimeS: number,
): HandedEntry {
  const bytes = encodeEntry({ type: 'finalize', ref })
  const full = { ...ref, parentNumber: -1, parentHash: '', timeS: headTimeS }
  return { type: 'finalize', ref: full, bytes, changes: null, isFinal: true }
}

export type HandOverOptions = {
  /** Entries posted and not yet applied, at most. */
  aheadMax: number
  /** All bytes of the entries are in the buffer. */
  post(entries: readonly HandedEntry[], buffer: ArrayBuffer): void
}

export type HandOver = {
  /** Resolves when there is room for the next one. */
  put(entry: HandedEntry): Promise<void> | void
  applied(count: number): void
  /** Posts what is still in a batch. */
  flush(): void
  /** Entries are no longer accepted: callers waiting for room continue. */
  release(): void
}

/** Moves the bytes of entries to another thread; those of one turn of the loop go together. */
export function createHandOver({ aheadMax, post }: HandOverOptions): HandOver {
  let ahead = 0
  let waiting: (() => void) | null = null
  let batch: HandedEntry[] = []

  function flush(): void {
    if (batch.length === 0) return
    const { entries, buffer } = pack(batch)
    batch = []
    post(entries, buffer)
  }

  function release(): void {
    waiting?.()
    waiting = null
  }

  return {
    put(entry) {
      batch.push(entry)
      if (batch.length === 1) setImmediate(flush)
      ahead += 1
      if (ahead < aheadMax) return undefined
      return new Promise((resolve) => {
        waiting = resolve
      })
    },
    applied(count) {
      ahead -= count
      if (ahead < aheadMax) release()
    },
    flush,
    release,
  }
}

/** The same entries, all their bytes in one buffer: moving one costs as much as moving a hundred kilobytes. */
function pack(batch: readonly HandedEntry[]): { entries: HandedEntry[]; buffer: ArrayBuffer } {
  let sizeBytes = 0
  for (const { bytes, changes } of batch) sizeBytes += bytes.length + (changes?.length ?? 0)
  const packed = new Uint8Array(sizeBytes)
  let end = 0
  const put = (bytes: Uint8Array) => {
    packed.set(bytes, end)
    end += bytes.length
    return packed.subarray(end - bytes.length, end)
  }
  const entries = batch.map(({ bytes, changes, ...rest }) => ({
    ...rest,
    bytes: put(bytes),
    changes: changes === null ? null : put(changes),
  }))
  return { entries, buffer: packed.buffer }
}
