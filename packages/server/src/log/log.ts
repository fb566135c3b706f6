import type { BlockRef } from '../model/block.ts'
import type { LogEntry } from '../model/logEntry.ts'
import { LogGapError } from './errors.ts'

/** A log entry on its way into the log. */
export type LogRow = {
  type: LogEntry['type']
  /** The block it is about. Entries without a time or parent of their own carry the head's time and ''. */
  ref: BlockRef
  bytes: Uint8Array
  /** Null: the block can never be reverted (it was final when it was stored). */
  undo: Uint8Array | null
}

/** Entries that are appended as one: all of them are in the log, or none. */
export type LogStep = {
  /** Sequence of the last entry before them, as far as whoever appends knows. */
  expectedSeq: number
  entries: readonly LogRow[]
}

export type LoggedEntry = { seq: number; type: LogEntry['type']; bytes: Uint8Array }

/**
 * A chain's log as its readers see it: entries in order, each with the sequence that the log gave it, consecutive from 1 on. What a
 * reader is given is acknowledged by the log: no crash takes it away again.
 */
export type LogReader = {
  /** Of the newest entry; 0: there was none yet. */
  lastSeq(): Promise<number>
  /** From this sequence on, up to the newest when it gets there. One that was trimmed is a LogGapError. */
  read(fromSeq: number): AsyncGenerator<LoggedEntry, void, undefined>
  /** The same, and on with all that is appended, until the signal ends it. */
  follow(fromSeq: number, signal: AbortSignal): AsyncGenerator<LoggedEntry, void, undefined>
  /** The consumer needs no entry up to this sequence any more; the log keeps those behind it. */
  acknowledge(consumer: string, seq: number): Promise<void>
  /** By name, how far consumers have come. */
  acknowledged(): Promise<readonly { consumer: string; seq: number }[]>
}

/** The side of the one that writes a chain's log. What else is to be stored with a step, if anything, goes along in it. */
export type LogWriter<step extends LogStep = LogStep> = {
  /**
   * Gives the sequence of the step's last entry. Never waits: the step is in the log once `flush` says so. A log that does not
   * end at `expectedSeq` refuses it by a LogMovedError.
   */
  append(step: step): number
  /** Resolves when all that was appended is in the log; rejects when it never will be. */
  flush(): Promise<void>
  /**
   * Lets go of days before this time that nobody needs: those up to the oldest snapshot, and up to what the slowest consumer
   * has acknowledged. While there is no snapshot the log is kept whole, for a start would need all of it.
   */
  trim(beforeS: number): Promise<void>
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
