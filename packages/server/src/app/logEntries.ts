import { decodeEntry } from '../log/entryCodec.ts'
import type { LogEntry } from '../model/logEntry.ts'
import type { Store } from '../store/openStore.ts'
import { LogGapError } from './errors.ts'

export type ReadEntry = { seq: number; entry: LogEntry }

/** What the log has after `seq`, each entry the next of the one before: over a hole any market would be a wrong one. */
export async function* logEntriesAfter(
  store: Pick<Store, 'readLog'>,
  { chainId, chain, seq }: { chainId: number; chain: string; seq: number },
): AsyncGenerator<ReadEntry, void, undefined> {
  let readSeq = seq
  for await (const { seq: foundSeq, bytes } of store.readLog(chainId, seq + 1)) {
    if (foundSeq !== readSeq + 1) throw new LogGapError({ chain, readSeq, foundSeq })
    readSeq = foundSeq
    yield { seq: readSeq, entry: decodeEntry(bytes) }
  }
}
