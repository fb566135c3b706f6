import { textForm } from './byteWriter.ts'
import { nullPosition, type StringTable } from './stringTable.ts'

type ByteReaderOptions = {
  /** Creates the error for bytes that no `ByteWriter` wrote. */
  corrupt: (reason: string, offset: number) => Error
  /**
   * Version of the bytes; fields of later versions get their fallback. @default the current version
   */
  version?: number | undefined
  /** String table that the ByteWriter of these bytes was given. */
  words?: Pick<StringTable, 'at'> | undefined
  /** True if the ByteWriter of these bytes shared repeated texts. @default false */
  sharesTexts?: boolean | undefined
}

// A number of more bytes would not be exact.
const wholeBytesMax = 8
const asciiMax = 0x7f
export const upperA = 0x41
export const upperZ = 0x5a
/** From a capital letter to the small one. */
export const toLower = 0x20

/** Reads what `ByteWriter` wrote, in the same order. */
export class ByteReader {
  readonly version: number
  bytes: Buffer = Buffer.alloc(0)
  at = 0
  end = 0
  readonly #corrupt: (reason: string, offset: number) => Error
  readonly #words: Pick<StringTable, 'at'> | null
  readonly #known: string[] | null
  #view: DataView | null = null

  constructor(options: ByteReaderOptions) {
    this.version = options.version ?? Number.POSITIVE_INFINITY
    this.#corrupt = options.corrupt
    this.#words = options.words ?? null
    this.#known = options.sharesTexts ? [] : null
  }

  open(bytes: Buffer, at = 0, end = bytes.length): this {
    if (bytes !== this.bytes) {
      this.bytes = bytes
      this.#view = null
    }
    this.at = at
    this.end = end
    return this
  }

  byte(): number {
    this.#need(1)
    return this.bytes[this.at++]!
  }

  flag(): boolean {
    const value = this.byte()
    if (value > 1) throw this.#corrupt(`${value} is neither true nor false`, this.at - 1)
    return value === 1
  }

  u32(): number {
    this.#need(4)
    this.at += 4
    return this.bytes.readUInt32LE(this.at - 4)
  }

  whole(): number {
    const start = this.at
    let value = this.byte()
    if (value < 0x80) return value
    value &= 0x7f
    for (let i = 1, scale = 0x80; i < wholeBytesMax; i++, scale *= 0x80) {
      const next = this.byte()
      value += (next & 0x7f) * scale
      if (next >= 0x80) continue
      if (!Number.isSafeInteger(value)) break
      return value
    }
    throw this.#corrupt('number too large', start)
  }

  wholeOrNull(): number | null {
    const value = this.whole()
    return value === 0 ? null : value - 1
  }

  /**
   * Number of following items. Each takes at least one byte, so a count over the remaining bytes is
   * an error.
   */
  count(): number {
    const start = this.at
    const value = this.whole()
    if (value > this.end - this.at) throw this.#corrupt(`${value} items do not fit`, start)
    return value
  }

  list<item>(read: () => item): item[] {
    const items: item[] = []
    for (let left = this.count(); left > 0; left--) items.push(read())
    return items
  }

  float(): number {
    this.#need(8)
    this.at += 8
    return this.#doubles().getFloat64(this.at - 8, true)
  }

  floatOrNull(): number | null {
    return this.flag() ? this.float() : null
  }

  amount(): bigint {
    const start = this.at
    const value = this.amountOrNull()
    if (value === null) throw this.#corrupt('amount missing', start)
    return value
  }

  amountOrNull(): bigint | null {
    const head = this.whole()
    if (head === 1) return null
    const sizeBytes = Math.floor(head / 2)
    this.#need(sizeBytes)
    const magnitude = this.#magnitude(sizeBytes)
    return head % 2 === 1 ? -magnitude : magnitude
  }

  text(): string {
    const start = this.at
    const head = this.whole()
    const size = Math.floor(head / 4)
    if (head % 4 === textForm.known) {
      const known = this.#known?.[size]
      if (known === undefined) throw this.#corrupt(`no text has number ${size} yet`, start)
      return known
    }
    this.#need(size)
    const value = this.#textOf(head % 4, size)
    this.#known?.push(value)
    return value
  }

  skipText(): void {
    const head = this.whole()
    if (head % 4 !== textForm.known) this.at += Math.floor(head / 4)
  }

  word(): string {
    if (this.#words === null) return this.text()
    const start = this.at
    return this.#wordAt(this.whole(), start)
  }

  wordOrNull(): string | null {
    if (this.#words === null) return this.flag() ? this.text() : null
    const start = this.at
    const place = this.whole()
    return place === nullPosition ? null : this.#wordAt(place, start)
  }

  /**
   * Is the text equal to this lower-case word, ignoring case? Undefined if it is not ASCII or
   * longer than `lengthMax`; the caller then reads it. Continues after the text.
   */
  isWord(word: string, lengthMax: number): boolean | undefined {
    const head = this.whole()
    const from = this.at
    const length = Math.floor(head / 4)
    this.at = from + length
    if (head % 4 !== textForm.latin1 || length > lengthMax) return undefined
    let isSame = length === word.length
    for (let index = 0; index < length; index++) {
      const byte = this.bytes[from + index]!
      if (byte > asciiMax) return undefined
      const lower = byte >= upperA && byte <= upperZ ? byte + toLower : byte
      if (isSame && lower !== word.charCodeAt(index)) isSame = false
    }
    return isSame
  }

  /** An item of a fixed list, by its position. */
  choice<choices extends readonly string[]>(choices: choices): choices[number] {
    const position = this.byte()
    const value = choices[position]
    if (value === undefined)
      throw this.#corrupt(`${position} is not one of ${choices.join(', ')}`, this.at - 1)
    return value
  }

  assertAtEnd(): void {
    if (this.at < this.end) throw this.#corrupt(`${this.end - this.at} bytes too many`, this.at)
  }

  #wordAt(place: number, start: number): string {
    const word = this.#words!.at(place)
    if (word === undefined) throw this.#corrupt(`no word has place ${place}`, start)
    return word
  }

  #doubles(): DataView {
    const { buffer, byteOffset, byteLength } = this.bytes
    this.#view ??= new DataView(buffer, byteOffset, byteLength)
    return this.#view
  }

  #magnitude(sizeBytes: number): bigint {
    const start = this.at
    const end = start + sizeBytes
    this.at = end
    // Up to 40 bytes in words: faster than by text, and still few shifts.
    if (sizeBytes > 40) {
      const digits = Buffer.from(this.bytes.subarray(start, end)).reverse().toString('hex')
      return BigInt(`0x${digits}`)
    }
    const view = this.#doubles()
    let value = 0n
    let at = end
    for (; at - start >= 8; at -= 8) value = (value << 64n) | view.getBigUint64(at - 8, true)
    // The remaining lowest bytes: up to six fit one read, a seventh is read alone.
    const rest = at - start
    if (rest === 0) return value
    const low = this.bytes.readUIntLE(start, Math.min(rest, 6))
    const lowBig = rest === 7 ? BigInt(low) | (BigInt(this.bytes[start + 6]!) << 48n) : BigInt(low)
    return value === 0n ? lowBig : (value << BigInt(rest * 8)) | lowBig
  }

  #textOf(form: number, sizeBytes: number): string {
    const start = this.at
    this.at += sizeBytes
    if (form === textForm.hex) return `0x${this.bytes.toString('hex', start, this.at)}`
    if (form === textForm.latin1) return this.bytes.toString('latin1', start, this.at)
    if (sizeBytes % 2 !== 0) throw this.#corrupt('half a character', start)
    return this.bytes.toString('utf16le', start, this.at)
  }

  #need(sizeBytes: number): void {
    if (this.end - this.at < sizeBytes)
      throw this.#corrupt(`${sizeBytes} bytes wanted, ${this.end - this.at} left`, this.at)
  }
}
