/** A table whose rows can be put back. */
export type Undoable = {
  readonly width: number
  readonly bigWidth: number
  restoreRow(row: number, data: Float64Array, at: number, bigs: bigint[], bigAt: number): void
}

// Covers a small block without growing; large ones double from here and are used again.
const firstDoubles = 1 << 12
// 4 MB. A record that one unusual block made larger is not kept for others.
const spareDoublesMax = 1 << 19

/** The rows one block changed, as they were before it. Each row once. */
export class UndoRecord {
  readonly tables: Undoable[] = []
  readonly rows: number[] = []
  readonly bigs: bigint[] = []
  data = new Float64Array(firstDoubles)
  length = 0

  /** Room for a row's old values; returns where it starts. */
  reserve(width: number): number {
    const at = this.length
    this.length += width
    if (this.length > this.data.length) {
      const grown = new Float64Array(Math.max(this.data.length * 2, this.length))
      grown.set(this.data)
      this.data = grown
    }
    return at
  }

  clear(): void {
    this.tables.length = 0
    this.rows.length = 0
    this.bigs.length = 0
    this.length = 0
  }
}

/** Hands out one record per block. Old values are saved, never computed back. */
export class UndoLog {
  /** Stamp of the block being applied; 0 while nothing is recorded. Never used twice. */
  epoch = 0
  current = new UndoRecord()
  private epochLast = 0
  private readonly spare: UndoRecord[] = []

  begin(): UndoRecord {
    this.epochLast += 1
    this.epoch = this.epochLast
    this.current = this.spare.pop() ?? new UndoRecord()
    return this.current
  }

  end(): void {
    this.epoch = 0
  }

  /** Newest change first, so that a table's header row is right whatever the order was. */
  revert(record: UndoRecord): void {
    let at = record.length
    let bigAt = record.bigs.length
    for (let index = record.rows.length - 1; index >= 0; index -= 1) {
      const table = record.tables[index]!
      at -= table.width
      bigAt -= table.bigWidth
      table.restoreRow(record.rows[index]!, record.data, at, record.bigs, bigAt)
    }
    this.release(record)
  }

  release(record: UndoRecord): void {
    if (record.data.length > spareDoublesMax) return
    record.clear()
    this.spare.push(record)
  }
}
