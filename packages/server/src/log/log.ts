import type { BlockRef } from '../model/block.ts'
import type { LogEntry } from '../model/logEntry.ts'
import { LogGapError } from './errors.ts'

/** A log entry on its way into the log. */
export type LogRow = {
  type: LogEntry['type']
  /**
   * The entry's block. Entries without a time or parent of their own have the head's time and ''.
   */
  ref: BlockRef
  bytes: Uint8Array
  /** Null if the block can never be reverted: it was final when it was stored. */
  undo: Uint8Array | null
}

/** Entries that are appended together: all of them are in the log, or none. */
export type LogAppend = {
  /**
   * Sequence that the writer expects of the log's newest entry; the append is refused otherwise.
   */
  expectedSeq: number
  entries: readonly LogRow[]
}

export type LoggedEntry = { seq: number; type: LogEntry['type']; bytes: Uint8Array }

/**
 * A chain's log for readers: entries in order with consecutive sequences from 1. Entries that a
 * reader receives are durable: no crash removes them.
 */
export type LogReader = {
  /** Sequence of the newest entry; 0 if none exists. */
  lastSeq(): Promise<number>
  /** Entries from this sequence up to the newest one. A trimmed sequence is a LogGapError. */
  read(fromSeq: number): AsyncGenerator<LoggedEntry, void, undefined>
  /** The same, continuing with appended entries until the signal aborts. */
  follow(fromSeq: number, signal: AbortSignal): AsyncGenerator<LoggedEntry, void, undefined>
  /** The consumer no longer needs entries up to this sequence; the log keeps later ones. */
  acknowledge(consumer: string, seq: number): Promise<void>
  /** Acknowledged sequences by consumer. */
  acknowledged(): Promise<readonly { consumer: string; seq: number }[]>
}

/**
 * The writing side of a chain's log. A step carries anything else that is stored with its entries.
 */
export type LogWriter<step extends LogAppend = LogAppend> = {
  /**
   * Returns the sequence of the step's last entry without waiting: the step is durable once `flush`
   * resolves. A log that does not end at `expectedSeq` rejects it with a LogMovedError.
   */
  append(step: step): number
  /** Resolves once all appended steps are in the log; rejects if they never will be. */
  flush(): Promise<void>
  /**
   * Drops days before this time that are no longer needed: up to the oldest snapshot and the
   * slowest consumer. Without a snapshot the whole log is kept, since a start needs it.
   */
  trim(beforeS: number): Promise<void>
}

/**
 * Checks that entries are consecutive, starting at `seq`: a market from a log with a gap would be
 * wrong.
 */
export async function* assertConsecutive<place extends { seq: number }>(
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
