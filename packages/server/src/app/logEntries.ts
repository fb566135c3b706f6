import { decodeEntry } from '../log/entryCodec.ts'
import type { LogEntry } from '../model/logEntry.ts'
import type { Store } from '../store/openStore.ts'
import { LogGapError } from './errors.ts'

export type ReadEntry = { seq: number; entry: LogEntry }

/** What the log has after `seq`. */
export async function* logEntriesAfter(
  store: Pick<Store, 'readLog'>,
  { chainId, chain, seq }: { chainId: number; chain: string; seq: number },
): AsyncGenerator<ReadEntry, void, undefined> {
  for await (const read of withoutHole(store.readLog(chainId, seq + 1), chain, seq))
    yield { seq: read.seq, entry: decodeEntry(read.bytes) }
}

/** Each the next of the one before, the first that of `seq`: over a hole in the log any market would be a wrong one. */
export async function* withoutHole<place extends { seq: number }>(
  places: AsyncIterable<place>,
  chain: string,
  seq: number,
): AsyncGenerator<place, void, undefined> {
  let readSeq = seq
  for await (const place of places) {
    if (place.seq !== readSeq + 1) throw new LogGapError({ chain, readSeq, foundSeq: place.seq })
    readSeq = place.seq
    yield place
  }
}
