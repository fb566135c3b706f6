import { LogEntryCorruptError } from './errors.ts'

// A byte order mark is a character like any other here, and broken text is an error, not a question mark.
const textDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// A varint of more bytes would not fit a number.
const varintBytesMax = 8

/** Reads what EntryWriter wrote. Any byte that cannot be so ends in LogEntryCorruptError with its offset. */
export class EntryReader {
  /** The version the entry was written as. */
  readonly version: number
  readonly #bytes: Buffer
  readonly #view: DataView
  readonly #strings: string[] = []
  readonly #end: number
  #offset: number

  constructor(bytes: Uint8Array, start: number, end: number, version: number) {
    this.version = version
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#offset = start
    this.#end = end
  }

  byte(): number {
    this.#need(1)
    return this.#bytes[this.#offset++]!
  }

  bool(): boolean {
    const value = this.byte()
    if (value > 1) throw this.corrupt(`${value} is neither true nor false`, this.#offset - 1)
    return value === 1
  }

  varint(): number {
    const start = this.#offset
    let value = this.byte()
    if (value < 0x80) return value
    value &= 0x7f
    for (let i = 1, scale = 0x80; i < varintBytesMax; i++, scale *= 0x80) {
      const next = this.byte()
      value += (next & 0x7f) * scale
      if (next >= 0x80) continue
      if (!Number.isSafeInteger(value)) break
      return value
    }
    throw this.corrupt('number too large', start)
  }

  varintOrNull(): number | null {
    const value = this.varint()
    return value === 0 ? null : value - 1
  }

  /** Number of items to follow. Each takes a byte at least, so no count can ask for more than there is. */
  count(): number {
    const start = this.#offset
    const value = this.varint()
    if (value > this.#end - this.#offset) throw this.corrupt(`${value} items do not fit`, start)
    return value
  }

  float(): number {
    this.#need(8)
    const value = this.#view.getFloat64(this.#offset, true)
    this.#offset += 8
    return value
  }

  floatOrNull(): number | null {
    return this.bool() ? this.float() : null
  }

  bigint(): bigint {
    const start = this.#offset
    const value = this.bigintOrNull()
    if (value === null) throw this.corrupt('amount missing', start)
    return value
  }

  bigintOrNull(): bigint | null {
    const head = this.varint()
    if (head === 1) return null
    const sizeBytes = Math.floor(head / 2)
    this.#need(sizeBytes)
    const magnitude = this.#magnitude(sizeBytes)
    return head % 2 === 1 ? -magnitude : magnitude
  }

  string(): string {
    const start = this.#offset
    const head = this.varint()
    if (head % 2 === 0) {
      const known = this.#strings[head / 2]
      if (known === undefined) throw this.corrupt(`no string has number ${head / 2} yet`, start)
      return known
    }
    const sizeBytes = Math.floor(head / 4)
    this.#need(sizeBytes)
    const value = head % 4 === 3 ? this.#hex(sizeBytes) : this.#text(sizeBytes)
    this.#strings.push(value)
    return value
  }

  /** One of a closed list, by its position. */
  choice<choices extends readonly string[]>(choices: choices): choices[number] {
    const position = this.byte()
    const value = choices[position]
    if (value === undefined)
      throw this.corrupt(`${position} is none of ${choices.join(', ')}`, this.#offset - 1)
    return value
  }

  end(): void {
    if (this.#offset < this.#end)
      throw this.corrupt(`${this.#end - this.#offset} bytes too many`, this.#offset)
  }

  corrupt(reason: string, offset: number): LogEntryCorruptError {
    return new LogEntryCorruptError({ offset, reason })
  }

  #magnitude(sizeBytes: number): bigint {
    const start = this.#offset
    const end = start + sizeBytes
    this.#offset = end
    // Up to 40 bytes by words: quicker than by text, and still few enough shifts.
    if (sizeBytes > 40) {
      const digits = Buffer.from(this.#bytes.subarray(start, end)).reverse().toString('hex')
      return BigInt(`0x${digits}`)
    }
    let value = 0n
    let at = end
    for (; at - start >= 8; at -= 8) value = (value << 64n) | this.#view.getBigUint64(at - 8, true)
    // What is left are the lowest bytes; up to six of them fit a read, a seventh comes alone.
    const rest = at - start
    if (rest === 0) return value
    const low = this.#bytes.readUIntLE(start, Math.min(rest, 6))
    const lowBig = rest === 7 ? BigInt(low) | (BigInt(this.#bytes[start + 6]!) << 48n) : BigInt(low)
    return value === 0n ? lowBig : (value << BigInt(rest * 8)) | lowBig
  }

  #hex(sizeBytes: number): string {
    const start = this.#offset
    this.#offset += sizeBytes
    return `0x${this.#bytes.toString('hex', start, this.#offset)}`
  }

  #text(sizeBytes: number): string {
    const start = this.#offset
    const end = start + sizeBytes
    this.#offset = end
    let codes = 0
    for (let i = start; i < end; i++) codes |= this.#bytes[i]!
    if (codes < 0x80) return this.#bytes.toString('latin1', start, end)
    try {
      return textDecoder.decode(this.#bytes.subarray(start, end))
    } catch {
      throw this.corrupt('text is not UTF-8', start)
    }
  }

  #need(sizeBytes: number): void {
    if (this.#end - this.#offset < sizeBytes)
      throw this.corrupt(
        `${sizeBytes} bytes wanted, ${this.#end - this.#offset} left`,
        this.#offset,
      )
  }
}
