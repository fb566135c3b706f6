import assert from 'node:assert'
import { LogEntryTooLargeError } from './errors.ts'

export type ByteWriterOptions = {
  /** Expected size; a wrong guess costs copies, nothing else. */
  capacityBytes: number
  entryBytesMax: number
}

const varintBytesMax = 8
const textEncoder = new TextEncoder()

// Value of a lower-case hex digit; 255 for anything else.
const digitValue = new Uint8Array(128).fill(255)
for (let value = 0; value < 16; value++) digitValue[value.toString(16).charCodeAt(0)] = value

// Wider than any amount on an EVM chain (256 bits and a carry); beyond it a hex string is quicker than shifting.
const shiftedBigintEnd = 1n << 320n

/**
 * Appends values to bytes that grow up to a limit. A string is written once and referred to by its number
 * afterwards; a string that is canonical hex (0x, lower case, even length) takes half its length.
 */
export class EntryWriter {
  readonly #entryBytesMax: number
  readonly #strings = new Map<string, number>()
  #bytes: Uint8Array
  #view: DataView
  #length = 0

  constructor({ capacityBytes, entryBytesMax }: ByteWriterOptions) {
    this.#entryBytesMax = entryBytesMax
    this.#bytes = new Uint8Array(Math.min(capacityBytes, entryBytesMax))
    this.#view = new DataView(this.#bytes.buffer)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  bool(value: boolean): void {
    this.byte(value ? 1 : 0)
  }

  /** Seven bits a byte, lowest first. */
  varint(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, `not a whole number that fits: ${value}`)
    this.#reserve(varintBytesMax)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      // Not a shift: those end at 32 bits.
      rest = rest < 0x8000_0000 ? rest >>> 7 : Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  /** Null is 0, so every value moves up by one. */
  varintOrNull(value: number | null): void {
    this.varint(value === null ? 0 : value + 1)
  }

  float(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  floatOrNull(value: number | null): void {
    this.bool(value !== null)
    if (value !== null) this.float(value)
  }

  /** Head: twice the number of bytes, plus one if negative. Then the magnitude, lowest byte first. Null is head 1. */
  bigint(value: bigint): void {
    const isNegative = value < 0n
    let rest = isNegative ? -value : value
    if (rest >= shiftedBigintEnd) {
      this.#longBigint(rest, isNegative)
      return
    }
    this.#reserve(1 + 48)
    const head = this.#length
    let end = head + 1
    for (let at = head + 1; rest > 0n; at += 8) {
      this.#view.setBigUint64(at, rest, true)
      rest >>= 64n
      end = at + 8
    }
    while (end > head + 1 && this.#bytes[end - 1] === 0) end--
    this.#bytes[head] = (end - head - 1) * 2 + (isNegative ? 1 : 0)
    this.#length = end
  }

  bigintOrNull(value: bigint | null): void {
    if (value === null) this.byte(1)
    else this.bigint(value)
  }

  /** Head: number of a known string times two; or for a new one four times its bytes, plus two if hex, plus one. */
  string(value: string): void {
    const known = this.#strings.get(value)
    if (known !== undefined) {
      this.varint(known * 2)
      return
    }
    this.#strings.set(value, this.#strings.size)
    if (!this.#hex(value)) this.#text(value)
  }

  /** The bytes written, their checksum after them, in a buffer of their own. */
  finish(checksumOf: (bytes: Uint8Array) => number): Uint8Array {
    this.#reserve(4)
    this.#view.setUint32(this.#length, checksumOf(this.#bytes.subarray(0, this.#length)), true)
    this.#length += 4
    return this.#bytes.slice(0, this.#length)
  }

  #hex(value: string): boolean {
    if (value.length < 2 || value.length % 2 !== 0 || !value.startsWith('0x')) return false
    const before = this.#length
    const sizeBytes = (value.length - 2) / 2
    this.varint(sizeBytes * 4 + 3)
    this.#reserve(sizeBytes)
    for (let i = 2; i < value.length; i += 2) {
      const high = digitValue[value.charCodeAt(i)] ?? 255
      const low = digitValue[value.charCodeAt(i + 1)] ?? 255
      if ((high | low) > 15) {
        this.#length = before
        return false
      }
      this.#bytes[this.#length++] = (high << 4) | low
    }
    return true
  }

  #text(value: string): void {
    const sizeBytes = Buffer.byteLength(value, 'utf8')
    this.varint(sizeBytes * 4 + 1)
    this.#reserve(sizeBytes)
    textEncoder.encodeInto(value, this.#bytes.subarray(this.#length))
    this.#length += sizeBytes
  }

  #longBigint(magnitude: bigint, isNegative: boolean): void {
    const digits = magnitude.toString(16)
    const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').reverse()
    this.varint(bytes.length * 2 + (isNegative ? 1 : 0))
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #reserve(sizeBytes: number): void {
    const needBytes = this.#length + sizeBytes
    if (needBytes <= this.#bytes.length) return
    if (needBytes > this.#entryBytesMax)
      throw new LogEntryTooLargeError({
        sizeBytes: needBytes,
        entryBytesMax: this.#entryBytesMax,
      })
    const grown = new Uint8Array(
      Math.min(Math.max(needBytes, this.#bytes.length * 2), this.#entryBytesMax),
    )
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}
