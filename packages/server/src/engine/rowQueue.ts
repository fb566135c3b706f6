import { RowTable } from './rowTable.ts'
import type { UndoLog } from './undoLog.ts'

const node = { key: 0, value: 1, next: 2 } as const
const header = { head: 2, tail: 3, pushed: 4, shifted: 5 } as const
const columns = 6

/** First in, first out. Keys are pushed in rising order by the caller. */
export class RowQueue {
  readonly rows: RowTable

  constructor(undo: UndoLog) {
    this.rows = new RowTable(undo, columns)
  }

  /** 0 when empty. */
  get head(): number {
    return this.rows.page(0)[header.head]!
  }

  get headKey(): number {
    const row = this.head
    return this.rows.page(row)[this.rows.at(row) + node.key]!
  }

  /** How many have been removed: an entry is still in the queue when its number is above this. */
  get shifted(): number {
    return this.rows.page(0)[header.shifted]!
  }

  /** Returns the entry's number, counted from 1. */
  push(key: number, value: number): number {
    const { rows } = this
    const row = rows.alloc()
    const page = rows.page(row)
    const at = rows.at(row)
    page[at + node.key] = key
    page[at + node.value] = value
    const first = rows.page(0)
    const tail = first[header.tail]!
    if (tail === 0) first[header.head] = row
    else {
      rows.touch(tail)
      rows.page(tail)[rows.at(tail) + node.next] = row
    }
    first[header.tail] = row
    first[header.pushed]! += 1
    return first[header.pushed]!
  }

  /** Removes the head and returns its value. */
  shift(): number {
    const { rows } = this
    rows.touch(0)
    const first = rows.page(0)
    const row = first[header.head]!
    const page = rows.page(row)
    const at = rows.at(row)
    const value = page[at + node.value]!
    first[header.head] = page[at + node.next]!
    if (first[header.head] === 0) first[header.tail] = 0
    first[header.shifted]! += 1
    rows.free(row)
    return value
  }
}
