import { grown } from '../../lib/grown.ts'

/** A table whose rows can be put back. */
export type Undoable = {
  /** Puts back what was saved of a row under `part`; returns where its saved values begin. */
  restore(row: number, part: number, data: Float64Array, end: number): number
}

/** A log of rows that is put back by its two ends. */
export type UndoableLog = {
  head: number
  tail: number
  startBlock(): void
  /** Rows before `row` are never asked for again, not even after a revert. */
  trim(row: number): void
}

// Covers a small block without growing; large ones double from here and are used again.
const firstDoubles = 1 << 12
// 4 MB. A record that one unusual block made larger is not kept for others.
const spareDoublesMax = 1 << 19

/** Parts of a row that can be saved apart; the number above them stands for a row that was given out. */
export const undoPartsMax = 3
const codeBase = undoPartsMax + 1

/**
 * The rows one block changed, as they were before it: values, then row, then table and part. A row may
 * be there more than once; the oldest values are put back last.
 */
export class UndoRecord {
  data = new Float64Array(firstDoubles)
  length = 0
  /** How many saved rows there are. */
  count = 0
  /** Head and tail of every log before the block. */
  readonly ends: number[] = []
}

/** Hands out one record per block. Old values are saved, never computed back. */
export class UndoLog {
  /** Stamp of the block being applied; 0 while nothing is recorded. Never used twice. */
  epoch = 0
  private current = new UndoRecord()
  private epochLast = 0
  private readonly tables: Undoable[] = []
  private readonly logs: UndoableLog[] = []
  private readonly spare: UndoRecord[] = []

  /** Returns the number that stands for the table in saved rows. */
  addTable(table: Undoable): number {
    this.tables.push(table)
    return (this.tables.length - 1) * codeBase
  }

  addLog(log: UndoableLog): void {
    this.logs.push(log)
  }

  begin(): UndoRecord {
    const record = this.spare.pop() ?? new UndoRecord()
    this.epochLast += 1
    this.epoch = this.epochLast
    this.current = record
    record.ends.length = 0
    for (const log of this.logs) {
      record.ends.push(log.head, log.tail)
      log.startBlock()
    }
    return record
  }

  end(): void {
    this.epoch = 0
  }

  /** Saves `count` values from `from` on as the old ones of a row. */
  save(page: Float64Array, from: number, count: number, row: number, code: number): void {
    const { current } = this
    const at = current.length
    const end = at + count + 2
    if (end > current.data.length) current.data = grown(current.data, end)
    const { data } = current
    // Two at a time: an even count of a few dozen at most, and the loop costs as much as the copy.
    for (let index = 0; index < count - 1; index += 2) {
      data[at + index] = page[from + index]!
      data[at + index + 1] = page[from + index + 1]!
    }
    if (count & 1) data[at + count - 1] = page[from + count - 1]!
    data[end - 2] = row
    data[end - 1] = code
    current.length = end
    current.count += 1
  }

  /** Newest change first. */
  revert(record: UndoRecord): void {
    const { data } = record
    for (let at = record.length; at > 0; ) {
      const code = data[at - 1]!
      const part = code % codeBase
      at = this.tables[(code - part) / codeBase]!.restore(data[at - 2]!, part, data, at - 2)
    }
    this.logs.forEach((log, index) => {
      log.head = record.ends[index * 2]!
      log.tail = record.ends[index * 2 + 1]!
    })
    this.release(record)
  }

  /** The block cannot be reverted any more, nor any before it. */
  drop(record: UndoRecord): void {
    this.logs.forEach((log, index) => {
      log.trim(record.ends[index * 2]!)
    })
    this.release(record)
  }

  private release(record: UndoRecord): void {
    if (record.data.length > spareDoublesMax) return
    record.length = 0
    record.count = 0
    this.spare.push(record)
  }
}
