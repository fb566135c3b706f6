import { DevnetError } from '../errors.ts'
import { readHead } from './head.ts'
import type { JournalRecord } from './journalRecord.ts'
import type { Lane } from './lane.ts'

// Asking for every hash would add a twentieth to the time; one in this many finds the place well enough.
const checkEveryBlocks = 128

// Within this many blocks the event loop, and the memory of old traces, get their turn.
const pauseEveryBlocks = 32

export type ReplayOptions = {
  lane: Lane
  records: readonly JournalRecord[]
  onPause: (minedBlocks: number) => Promise<void>
}

/** Does again what the journal holds; fails when a hash differs from the one it had. */
export async function replayJournal({ lane, records, onPause }: ReplayOptions): Promise<void> {
  const lastHash = records.findLastIndex(({ type }) => type === 'hash')
  let blocks = 0
  for (const [index, record] of records.entries()) {
    if (record.type === 'hash' && (blocks % checkEveryBlocks === 0 || index === lastHash))
      await assertHash(lane, record.hash, blocks)
    await lane.replay(record)
    if (record.type !== 'mine') continue
    blocks += 1
    if (blocks % pauseEveryBlocks === 0) await onPause(blocks)
  }
}

async function assertHash(lane: Lane, hash: string, blocks: number): Promise<void> {
  const head = await readHead(lane.request)
  if (!head.hash.startsWith(hash))
    throw new DevnetError(
      'DEVNET_JOURNAL_BROKEN',
      `Replaying the journal gave ${head.hash} after ${blocks} blocks, it had ${hash}.`,
    )
}
