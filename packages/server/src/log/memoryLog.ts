import { setTimeout as delay } from 'node:timers/promises'
import { LogWriterReplacedError } from './errors.ts'
import {
  assertConsecutive,
  type LoggedEntry,
  type LogReader,
  type LogRow,
  type LogWriter,
} from './log.ts'

type MemoryLog = LogReader &
  LogWriter & {
    /** A start continues after this entry: earlier ones may be dropped. */
    saveSnapshot(seq: number): void
  }

const dayOf = (timeS: number) => Math.floor(timeS / 86_400)
// Interval at which a reader at the end checks for more: nothing wakes it.
const followEveryMs = 1

/** A log in memory, for tests. It keeps all promises except surviving the process. */
export function createMemoryLog(chain: string): MemoryLog {
  /** Oldest first. */
  let kept: { seq: number; row: LogRow }[] = []
  let lastSeq = 0
  let snapshotSeq: number | null = null
  const acknowledged = new Map<string, number>()

  async function* entriesFrom(fromSeq: number): AsyncGenerator<LoggedEntry, void, undefined> {
    for (let next = fromSeq; next <= lastSeq; next += 1) {
      const found = kept.find(({ seq }) => seq >= next)
      if (found === undefined) return
      next = found.seq
      yield { seq: next, type: found.row.type, bytes: found.row.bytes }
    }
  }

  const read = (fromSeq: number) => assertConsecutive(entriesFrom(fromSeq), chain, fromSeq - 1)

  return {
    lastSeq: async () => lastSeq,
    read,
    async *follow(fromSeq, signal) {
      for (let next = fromSeq; !signal.aborted; ) {
        for await (const entry of read(next)) {
          if (signal.aborted) return
          yield entry
          next = entry.seq + 1
        }
        await delay(followEveryMs, undefined, { signal }).catch(() => undefined)
      }
    },
    async acknowledge(consumer, seq) {
      acknowledged.set(consumer, Math.max(seq, acknowledged.get(consumer) ?? 0))
    },
    acknowledged: async () =>
      [...acknowledged].sort().map(([consumer, seq]) => ({ consumer, seq })),
    append({ expectedSeq, entries }) {
      if (expectedSeq !== lastSeq) throw new LogWriterReplacedError({ chain, expectedSeq, lastSeq })
      for (const row of entries) {
        lastSeq += 1
        kept.push({ seq: lastSeq, row })
      }
      return lastSeq
    },
    flush: async () => undefined,
    async trim(beforeS) {
      const neededSeq = Math.min(snapshotSeq ?? 0, ...acknowledged.values())
      const firstDay = dayOf(beforeS)
      const isSpent = ({ seq, row }: (typeof kept)[number]) =>
        seq <= neededSeq && dayOf(row.ref.timeS) < firstDay
      const needed = kept.find((entry) => !isSpent(entry))
      // Days are dropped as a whole.
      const day = needed === undefined ? null : dayOf(needed.row.ref.timeS)
      kept = kept.filter(({ row }) => day !== null && dayOf(row.ref.timeS) >= day)
    },
    saveSnapshot(seq) {
      snapshotSeq = seq
    },
  }
}
