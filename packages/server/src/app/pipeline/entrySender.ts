import { encodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import type { LateFacts, LogEntry } from '../../model/logEntry.ts'
import type { BlockDoubt, BlockVerdicts } from '../../model/trust/doubt.ts'
import type { IgnoredContractChanges } from '../../model/trust/ignoredContracts.ts'

/** A log entry on its way from a chain's worker to the engine. */
export type EncodedEntry = {
  type: LogEntry['type']
  ref: BlockRef
  bytes: Uint8Array
  /**
   * Ledger changes: `encodeUndo` output, or `encodeChanges` output for a final block. For a revert,
   * the changes of the reverted block. Null: no changes.
   */
  changes: Uint8Array | null
  /** True if the block was already final when it was read, so it can never be reverted. */
  isFinal: boolean
  /** Commits only: unix seconds of the newest block any node had reported. */
  tipTimeS?: number
  /** Why the block is unverified. Undefined or null: no reason to doubt it. */
  doubt?: BlockDoubt | null
  /** Verdicts on blocks that were unverified. Undefined or null: no new verdict. */
  settledDoubts?: BlockVerdicts | null
  /** Changes to the set of ignored contracts. Undefined or null: unchanged. */
  leftOut?: IgnoredContractChanges | null
}

export function encodeCommitEntry(
  block: FinishedBlock,
  facts: Pick<EncodedEntry, 'isFinal' | 'doubt' | 'settledDoubts' | 'leftOut'> & {
    changes: Uint8Array
    tipTimeS: number
  },
): EncodedEntry {
  const bytes = encodeEntry({ type: 'commit', block })
  return { type: 'commit', ref: block.ref, bytes, ...facts }
}

/** Entries without a timestamp of their own carry the head's. */
export function encodeLateEntry(facts: LateFacts, headTimeS: number): EncodedEntry {
  const ref = { ...facts.ref, parentNumber: -1, parentHash: '', timeS: headTimeS }
  const bytes = encodeEntry({ type: 'late', facts })
  return { type: 'late', ref, bytes, changes: null, isFinal: false }
}

export function encodeRevertEntry(ref: BlockRef, changes: Uint8Array): EncodedEntry {
  return {
    type: 'revert',
    ref,
    bytes: encodeEntry({ type: 'revert', ref }),
    changes,
    isFinal: false,
  }
}

export function encodeFinalizeEntry(
  ref: { number: number; hash: string },
  headTimeS: number,
): EncodedEntry {
  const bytes = encodeEntry({ type: 'finalize', ref })
  const full = { ...ref, parentNumber: -1, parentHash: '', timeS: headTimeS }
  return { type: 'finalize', ref: full, bytes, changes: null, isFinal: true }
}

export type EntrySender = {
  /** Queues an entry; resolves when there is room for the next entry. */
  put(entry: EncodedEntry): Promise<void> | void
  applied(count: number): void
  /** Posts the entries of an unfinished batch. */
  flush(): void
  /** Stops limiting: callers that wait for room continue. Call it when the thread stops. */
  release(): void
}

/**
 * Transfers entries to another thread, in one batch per turn of the event loop. At most `aheadMax`
 * posted entries are not applied yet. `post` gets entries whose bytes are all in `buffer`, which it
 * transfers.
 */
export function createEntrySender(
  aheadMax: number,
  post: (entries: readonly EncodedEntry[], buffer: ArrayBuffer) => void,
): EntrySender {
  let ahead = 0
  let waiting: (() => void) | null = null
  let batch: EncodedEntry[] = []

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

/**
 * Copies the bytes of all entries into one buffer: transferring a buffer costs as much as copying
 * 100 kB.
 */
function pack(batch: readonly EncodedEntry[]): { entries: EncodedEntry[]; buffer: ArrayBuffer } {
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
