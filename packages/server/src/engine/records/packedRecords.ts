import assert from 'node:assert'
import { ByteReader } from '../../lib/bytes/byteReader.ts'
import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import { StringTable } from '../../lib/bytes/stringTable.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import { doubledWords, imageBytes, imageField, imageWords } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { Pages } from '../pages/pages.ts'

const pageBytes = 1 << 12
/** Records start at multiples of this many bytes, so that a 32-bit position reaches 16 GiB. */
const unitBytes = 4
const unitsPerPage = pageBytes / unitBytes
/** Largest record, in units, whose space is reused after it is deleted or moved. */
const reusedUnitsMax = 64
export const recordLengthBytes = 2
/** Maximum length of a record in bytes. */
const recordBytesMax = 0xffff
/** Bytes of records that are copied at a time. */
const runBytes = 1 << 20
/** Start position of records that are longer than a page and therefore stored elsewhere. */
const isLong = 0xffffffff

/**
 * Byte records by dense id, packed into pages. Freed space is reused by the next record of the same
 * size.
 */
export class PackedRecords implements ImagePart {
  readonly name: string
  count = 0
  /** Texts that many records share; a record stores the position of its text in this list. */
  readonly words = new StringTable()
  /** Indexed by id: where its record starts, in units; 0 without a record. */
  #starts: Uint32Array = new Uint32Array(1 << 6)
  readonly #pages = new Pages({ pageBytes, viewOf: Buffer.from })
  readonly #longRecords = new Map<number, Buffer>()
  /** Next unit without a record. Unit 0 is never used, since a start of 0 means "no record". */
  #nextUnit = 1
  /**
   * Indexed by size in units: first free gap of that size. Each gap stores the position of the next
   * one.
   */
  readonly #freeHeads = new Uint32Array(reusedUnitsMax + 1)
  /** Bytes of all records, without their length prefixes. */
  #totalBytes = 0
  readonly #memory: MarketMemory
  /** Reader of the record that was opened last. */
  readonly #reader = new ByteReader({
    words: this.words,
    corrupt: (reason) =>
      new SnapshotUnreadableError(`A record of "${this.name}" is damaged: ${reason}.`),
  })
  readonly #writer = new ByteWriter({ words: this.words })

  constructor(name: string, memory: MarketMemory) {
    this.name = name
    this.#memory = memory
    this.#pages.push()
    memory.add(name, this.#pages)
  }

  /** Returns the next id, which has no record yet. */
  push(): number {
    const id = this.count
    if (id === this.#starts.length) this.#starts = doubledWords(this.#starts)
    this.count = id + 1
    return id
  }

  has(id: number): boolean {
    return id < this.count && this.#starts[id] !== 0
  }

  /** Replaces the record of an id by what the callback writes. */
  write(id: number, write: (writer: ByteWriter) => void): void {
    write(this.#writer.start())
    this.set(id, this.#writer.bytes, this.#writer.length)
  }

  /**
   * Replaces the record of an id by a copy of the first `length` bytes, whose shared texts must be
   * in `words`.
   */
  set(id: number, bytes: Uint8Array, length: number): void {
    assert(length <= recordBytesMax, 'a record is no longer than its limit')
    const needed = unitsOf(length)
    let start = this.#starts[id]!
    if (needed > unitsPerPage) {
      this.clear(id)
      this.#starts[id] = isLong
      this.#longRecords.set(id, Buffer.from(bytes.subarray(0, length)))
    } else {
      if (start === 0 || start === isLong || unitsOf(this.#lengthAt(start)) !== needed) {
        this.clear(id)
        start = this.#allocateUnits(needed)
        this.#starts[id] = start
      } else this.#totalBytes -= this.#lengthAt(start)
      const page = this.#pageOf(start)
      const at = offsetOf(start)
      page[at] = length & 0xff
      page[at + 1] = length >> 8
      for (let index = 0; index < length; index += 1)
        page[at + recordLengthBytes + index] = bytes[index]!
    }
    this.#totalBytes += length
  }

  clear(id: number): void {
    const start = this.#starts[id]!
    if (start === 0) return
    if (start === isLong) {
      this.#totalBytes -= this.#longRecords.get(id)!.length
      this.#longRecords.delete(id)
    } else this.#releaseUnits(start)
    this.#starts[id] = 0
  }

  truncate(count: number): void {
    for (let id = this.count - 1; id >= count; id -= 1) this.clear(id)
    this.count = count
  }

  /** Returns a reader of the record, valid until the next call; null if the id has no record. */
  open(id: number): ByteReader | null {
    const start = id < this.count ? this.#starts[id]! : 0
    if (start === 0) return null
    if (start === isLong) return this.#reader.open(this.#longRecords.get(id)!)
    const at = offsetOf(start) + recordLengthBytes
    return this.#reader.open(this.#pageOf(start), at, at + this.#lengthAt(start))
  }

  get runsBytes(): number {
    return this.#totalBytes + this.count * recordLengthBytes
  }

  /**
   * Yields copies of all records, each after its length; the length is 0 for an id without a
   * record.
   */
  *runs(): Generator<Buffer> {
    let left = this.runsBytes
    let run = Buffer.allocUnsafeSlow(Math.min(left, runBytes))
    let used = 0
    for (let id = 0; id < this.count; id += 1) {
      this.#memory.evictDuringScan(id)
      const reader = this.open(id)
      const length = reader === null ? 0 : reader.end - reader.at
      if (run.length - used < recordLengthBytes + length) {
        yield run.subarray(0, used)
        left -= used
        run = Buffer.allocUnsafeSlow(Math.min(left, runBytes))
        used = 0
      }
      run.writeUInt16LE(length, used)
      used += recordLengthBytes
      if (reader !== null) used += reader.bytes.copy(run, used, reader.at, reader.end)
    }
    if (used > 0) yield run.subarray(0, used)
  }

  imageFields(): Map<string, Uint8Array> {
    const { count, words } = this
    const starts = this.#starts
    const nextUnit = this.#nextUnit
    const freeHeads = this.#freeHeads
    const longRecords = this.#longRecords
    const totalBytes = this.#totalBytes
    const texts = new ByteWriter()
    texts.whole(totalBytes)
    texts.list(words.texts, (text) => texts.text(text))
    return new Map([
      ['starts', imageBytes(starts.subarray(0, count))],
      ['end', imageBytes(Uint32Array.of(nextUnit))],
      ['free', imageBytes(freeHeads)],
      ['long', longBytes(longRecords)],
      ['words', texts.written()],
    ])
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    const starts = imageWords(fields, 'starts')
    this.count = starts.length
    while (this.#starts.length < this.count) this.#starts = doubledWords(this.#starts)
    this.#starts.set(starts)
    this.#nextUnit = imageWords(fields, 'end')[0]!
    this.#freeHeads.set(imageWords(fields, 'free'))
    for (const [id, record] of longOf(imageField(fields, 'long'))) this.#longRecords.set(id, record)
    const { buffer, byteOffset, byteLength } = imageField(fields, 'words')
    this.#reader.open(Buffer.from(buffer, byteOffset, byteLength))
    this.#totalBytes = this.#reader.whole()
    this.words.add(this.#reader.list(() => this.#reader.text()))
  }

  #pageOf(start: number): Buffer {
    return this.#pages.page(Math.floor(start / unitsPerPage))
  }

  #lengthAt(start: number): number {
    const page = this.#pageOf(start)
    const at = offsetOf(start)
    return page[at]! + page[at + 1]! * 0x100
  }

  #allocateUnits(units: number): number {
    const reused = units <= reusedUnitsMax ? this.#freeHeads[units]! : 0
    if (reused !== 0) {
      this.#freeHeads[units] = this.#pageOf(reused).readUInt32LE(offsetOf(reused))
      return reused
    }
    if (
      (this.#nextUnit % unitsPerPage) + units > unitsPerPage ||
      this.#nextUnit % unitsPerPage === 0
    ) {
      this.#nextUnit = this.#pages.count * unitsPerPage
      this.#pages.push()
    }
    const start = this.#nextUnit
    this.#nextUnit += units
    assert(this.#nextUnit < isLong, 'records are no more than 32 bits reach')
    return start
  }

  #releaseUnits(start: number): void {
    const length = this.#lengthAt(start)
    this.#totalBytes -= length
    const units = unitsOf(length)
    if (units > reusedUnitsMax) return
    this.#pageOf(start).writeUInt32LE(this.#freeHeads[units]!, offsetOf(start))
    this.#freeHeads[units] = start
  }
}

/** Serializes the records that are longer than a page, each after its id and length. */
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

/** Byte offset of a record within its page. */
function offsetOf(start: number): number {
  return (start % unitsPerPage) * unitBytes
}

function unitsOf(length: number): number {
  return Math.ceil((length + recordLengthBytes) / unitBytes)
}
