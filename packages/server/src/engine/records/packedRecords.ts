import assert from 'node:assert'
import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'
import type { RecordReader } from './recordReader.ts'
import type { RecordWriter } from './recordWriter.ts'

// Pages of 4 MiB: few, and large enough for malloc to ask for huge pages. What is not in use yet takes no memory.
const pageBits = 22
const pageBytes = 1 << pageBits
/** The first page is counted by V8 and small: small engines that were given up must not pile up unseen. */
const firstPageBytes = 1 << 16
/** Places are counted in these, so that 32 bits reach 16 GiB. */
const unitBytes = 4
const unitsPerPage = pageBytes / unitBytes
/** Room of longer records is not given out again. */
const reusedUnitsMax = 64
const lengthBytes = 2
/** Longest record. */
const recordBytesMax = 0xffff

/** Bytes by dense id, in pages. Room that a record leaves is taken by the next one of that size. */
export class PackedRecords {
  count = 0
  /** Where the record of an id begins, in units; 0: it has none. */
  private starts: Uint32Array = new Uint32Array(1 << 6)
  private readonly pages: Buffer[] = [Buffer.alloc(firstPageBytes)]
  /** The first unit is nobody's. */
  private end = 1
  /** By size in units: the first of the rooms that are free, each of which names the next. */
  private readonly free = new Uint32Array(reusedUnitsMax + 1)

  /** The next id, without a record. */
  push(): number {
    const id = this.count
    if (id === this.starts.length) {
      const grown = new Uint32Array(uncountedBuffer(this.starts.byteLength * 2))
      grown.set(this.starts)
      this.starts = grown
    }
    this.count = id + 1
    return id
  }

  has(id: number): boolean {
    return id < this.count && this.starts[id] !== 0
  }

  /** Takes the place of what the id had. */
  set(id: number, { bytes, length }: RecordWriter): void {
    assert(length <= recordBytesMax, 'a record is no longer than its limit')
    const needed = unitsOf(length)
    let start = this.starts[id]!
    if (start === 0 || this.unitsAt(start) !== needed) {
      if (start !== 0) this.release(start)
      start = this.take(needed)
      this.starts[id] = start
    }
    const page = this.pageOf(start)
    const at = offsetOf(start)
    page[at] = length & 0xff
    page[at + 1] = length >> 8
    for (let index = 0; index < length; index += 1) page[at + lengthBytes + index] = bytes[index]!
  }

  clear(id: number): void {
    const start = this.starts[id]!
    if (start === 0) return
    this.release(start)
    this.starts[id] = 0
  }

  truncate(count: number): void {
    for (let id = this.count - 1; id >= count; id -= 1) this.clear(id)
    this.count = count
  }

  /** False: the id has no record. */
  open(id: number, reader: RecordReader): boolean {
    if (id >= this.count) return false
    const start = this.starts[id]!
    if (start === 0) return false
    reader.bytes = this.pageOf(start)
    reader.at = offsetOf(start) + lengthBytes
    return true
  }

  /** Does the record begin with all that the writer has? */
  startsWith(id: number, { bytes, length }: RecordWriter): boolean {
    const start = this.starts[id]!
    const page = this.pageOf(start)
    const at = offsetOf(start) + lengthBytes
    for (let index = 0; index < length; index += 1)
      if (page[at + index] !== bytes[index]) return false
    return true
  }

  private pageOf(start: number): Buffer {
    return this.pages[Math.floor(start / unitsPerPage)]!
  }

  private unitsAt(start: number): number {
    const page = this.pageOf(start)
    const at = offsetOf(start)
    return unitsOf(page[at]! + page[at + 1]! * 0x100)
  }

  private take(units: number): number {
    const reused = units <= reusedUnitsMax ? this.free[units]! : 0
    if (reused !== 0) {
      this.free[units] = this.pageOf(reused).readUInt32LE(offsetOf(reused))
      return reused
    }
    const last = this.pages.length - 1
    if ((this.end - last * unitsPerPage + units) * unitBytes > this.pages[last]!.length) {
      this.end = this.pages.length * unitsPerPage
      this.pages.push(Buffer.from(uncountedBuffer(pageBytes)))
    }
    const start = this.end
    this.end += units
    assert(this.end < 2 ** 32, 'records are no more than 32 bits reach')
    return start
  }

  private release(start: number): void {
    const units = this.unitsAt(start)
    if (units > reusedUnitsMax) return
    this.pageOf(start).writeUInt32LE(this.free[units]!, offsetOf(start))
    this.free[units] = start
  }
}

function unitsOf(length: number): number {
  return Math.ceil((length + lengthBytes) / unitBytes)
}

function offsetOf(start: number): number {
  return (start % unitsPerPage) * unitBytes
}
