import assert from 'node:assert'
import type { Imaged } from '../pages/imaged.ts'
import { grownWords, imageBytes, imageField, wordsOf } from '../pages/imageFields.ts'
import type { PageBudget } from '../pages/pageBudget.ts'
import { PageFrames } from '../pages/pageFrames.ts'
import { RecordReader } from './recordReader.ts'
import type { RecordWriter } from './recordWriter.ts'

export type RecordsOptions = {
  /** Whether they are found by their addresses. */
  isIndexed: boolean
  memory: PageBudget
}

const pageBytes = 1 << 12
/** Large enough for malloc to ask for huge pages. */
const slabBytes = 1 << 22
/** Places are counted in these, so that 32 bits reach 16 GiB. */
const unitBytes = 4
const unitsPerPage = pageBytes / unitBytes
/** Room of longer records is not given out again. */
const reusedUnitsMax = 64
const lengthBytes = 2
/** Longest record. */
const recordBytesMax = 0xffff
/** In the place of a start: the record is longer than a page. */
const isLong = 0xffffffff

/** Bytes by dense id, in pages. Room that a record leaves is taken by the next one of that size. */
export class PackedRecords implements Imaged {
  readonly name: string
  count = 0
  /** Where the record of an id begins, in units; 0: it has none. */
  private starts: Uint32Array = new Uint32Array(1 << 6)
  private readonly pages = new PageFrames({ pageBytes, slabBytes, viewOf: Buffer.from })
  private readonly long = new Map<number, Buffer>()
  /** The first unit is nobody's. */
  private end = 1
  /** By size in units: the first of the rooms that are free, each of which names the next. */
  private readonly free = new Uint32Array(reusedUnitsMax + 1)
  private readonly sought = new RecordReader()

  constructor(name: string, memory: PageBudget) {
    this.name = name
    this.pages.push()
    memory.add(name, this.pages)
  }

  /** The next id, without a record. */
  push(): number {
    const id = this.count
    if (id === this.starts.length) this.starts = grownWords(this.starts)
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
    if (needed > unitsPerPage) {
      this.clear(id)
      this.starts[id] = isLong
      this.long.set(id, Buffer.from(bytes.subarray(0, length)))
      return
    }
    let start = this.starts[id]!
    if (start === 0 || start === isLong || this.unitsAt(start) !== needed) {
      this.clear(id)
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
    if (start === isLong) this.long.delete(id)
    else this.release(start)
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
    if (start === isLong) {
      reader.bytes = this.long.get(id)!
      reader.at = 0
      return true
    }
    reader.bytes = this.pageOf(start)
    reader.at = offsetOf(start) + lengthBytes
    return true
  }

  /** Does the record begin with all that the writer has? */
  startsWith(id: number, { bytes, length }: RecordWriter): boolean {
    const { sought } = this
    if (!this.open(id, sought)) return false
    for (let index = 0; index < length; index += 1)
      if (sought.bytes[sought.at + index] !== bytes[index]) return false
    return true
  }

  imageFields(): Map<string, Uint8Array> {
    const { starts, count, end, free, long } = this
    return new Map([
      ['starts', imageBytes(starts.subarray(0, count))],
      ['end', imageBytes(Uint32Array.of(end))],
      ['free', imageBytes(free)],
      ['long', longBytes(long)],
    ])
  }

  fillFrom(fields: ReadonlyMap<string, Uint8Array>): void {
    const starts = wordsOf(fields, 'starts')
    this.count = starts.length
    while (this.starts.length < this.count) this.starts = grownWords(this.starts)
    this.starts.set(starts)
    this.end = wordsOf(fields, 'end')[0]!
    this.free.set(wordsOf(fields, 'free'))
    for (const [id, record] of longOf(imageField(fields, 'long'))) this.long.set(id, record)
  }

  private pageOf(start: number): Buffer {
    return this.pages.page(Math.floor(start / unitsPerPage))
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
    if ((this.end % unitsPerPage) + units > unitsPerPage || this.end % unitsPerPage === 0) {
      this.end = this.pages.count * unitsPerPage
      this.pages.push()
    }
    const start = this.end
    this.end += units
    assert(this.end < isLong, 'records are no more than 32 bits reach')
    return start
  }

  private release(start: number): void {
    const units = this.unitsAt(start)
    if (units > reusedUnitsMax) return
    this.pageOf(start).writeUInt32LE(this.free[units]!, offsetOf(start))
    this.free[units] = start
  }
}

/** Those that are longer than a page, each behind its id and length. */
function longBytes(long: ReadonlyMap<number, Buffer>): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [id, record] of long) parts.push(imageBytes(Uint32Array.of(id, record.length)), record)
  return Buffer.concat(parts)
}

function* longOf(bytes: Uint8Array): Generator<[number, Buffer]> {
  const from = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < from.length; ) {
    const start = at + 8
    const end = start + from.readUInt32LE(at + 4)
    yield [from.readUInt32LE(at), Buffer.from(from.subarray(start, end))]
    at = end
  }
}

/** In its page. */
function offsetOf(start: number): number {
  return (start % unitsPerPage) * unitBytes
}

function unitsOf(length: number): number {
  return Math.ceil((length + lengthBytes) / unitBytes)
}
