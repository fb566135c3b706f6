import { doubled } from '../../lib/growArray.ts'

/** A table whose rows can be restored by a revert. */
export type Undoable = {
  /** Restores the saved values of a part of a row, which end at `end`. Returns where they start. */
  restore(row: number, part: number, data: Float64Array, end: number): number
}

/** A queue of rows, which a revert restores by moving its head and tail. */
export type UndoableLog = {
  head: number
  tail: number
  startBlock(): void
  /** Frees rows before `row`, which nothing will read again, not even after a revert. */
  trim(row: number): void
}

// Initial size of an undo record: enough for a small block. Records of large blocks grow and are
// reused.
const firstDoubles = 1 << 12
// Size of 4 MB above which an undo record is not reused: one unusual block should not keep that
// memory.
const spareDoublesMax = 1 << 19

/**
 * Maximum number of separately saved parts of a row. The next number marks a newly allocated row.
 */
export const undoPartsMax = 3
const codeBase = undoPartsMax + 1

/**
 * Rows changed by one block, as they were before it: values, then row number, then table and part.
 * A row may be saved more than once; its oldest values are restored last.
 */
export class UndoRecord {
  data = new Float64Array(firstDoubles)
  length = 0
  /** Number of saved row parts. */
  count = 0
  /** Head and tail of every row log before the block. */
  readonly ends: number[] = []
}

/** Creates one undo record per block. Reverts restore saved values; nothing is recomputed. */
export class UndoLog {
  /** Unique stamp of the block being applied; 0 while nothing is recorded. */
  epoch = 0
  #current = new UndoRecord()
  #epochLast = 0
  readonly #tables: Undoable[] = []
  readonly #logs: UndoableLog[] = []
  readonly #spareRecords: UndoRecord[] = []

  /** Registers a table and returns the code that identifies it in undo records. */
  addTable(table: Undoable): number {
    this.#tables.push(table)
    return (this.#tables.length - 1) * codeBase
  }

  addLog(log: UndoableLog): void {
    this.#logs.push(log)
  }

  begin(): UndoRecord {
    const record = this.#spareRecords.pop() ?? new UndoRecord()
    this.#epochLast += 1
    this.epoch = this.#epochLast
    this.#current = record
    record.ends.length = 0
    for (const log of this.#logs) {
      record.ends.push(log.head, log.tail)
      log.startBlock()
    }
    return record
  }

  end(): void {
    this.epoch = 0
  }

  /** Saves `count` values of a row, from position `from` on, before a block changes them. */
  save(page: Float64Array, from: number, count: number, row: number, code: number): void {
    const current = this.#current
    const at = current.length
    const end = at + count + 2
    if (end > current.data.length) current.data = doubled(current.data, end)
    const { data } = current
    // Copies two values per step: there are a few dozen at most, and the loop costs as much as the
    // copy.
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

  /** Restores all rows saved for a block, newest change first, and reuses the record. */
  revert(record: UndoRecord): void {
    const { data } = record
    for (let at = record.length; at > 0; ) {
      const code = data[at - 1]!
      const part = code % codeBase
      at = this.#tables[(code - part) / codeBase]!.restore(data[at - 2]!, part, data, at - 2)
    }
    this.#logs.forEach((log, index) => {
      log.head = record.ends[index * 2]!
      log.tail = record.ends[index * 2 + 1]!
    })
    this.#release(record)
  }

  /**
   * Discards the record of a block that is final, like all blocks before it, and frees log rows
   * removed before it.
   */
  discard(record: UndoRecord): void {
    this.#logs.forEach((log, index) => {
      log.trim(record.ends[index * 2]!)
    })
    this.#release(record)
  }

  #release(record: UndoRecord): void {
    if (record.data.length > spareDoublesMax) return
    record.length = 0
    record.count = 0
    this.#spareRecords.push(record)
  }
}
