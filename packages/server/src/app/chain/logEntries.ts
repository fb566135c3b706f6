import { decodeEntry } from '../../log/entryCodec.ts'
import { withoutHole } from '../../log/withoutHole.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { Store } from '../../store/openStore.ts'

export type ReadEntry = { seq: number; entry: LogEntry }

/** What the log has after `seq`. */
export async function* logEntriesAfter(
  store: Pick<Store, 'readLog'>,
  { chainId, chain, seq }: { chainId: number; chain: string; seq: number },
): AsyncGenerator<ReadEntry, void, undefined> {
  for await (const read of withoutHole(store.readLog(chainId, seq + 1), chain, seq))
    yield { seq: read.seq, entry: decodeEntry(read.bytes) }
}
