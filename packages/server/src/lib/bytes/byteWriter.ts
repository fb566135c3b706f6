import assert from 'node:assert'
import { nullPosition, type StringTable } from './stringTable.ts'

type ByteWriterOptions = {
  /** Expected size; a lower one costs copies. @default 256 */
  capacityBytes?: number | undefined
  /** @default no limit */
  bytesMax?: number | undefined
  /** Creates the error for more than `bytesMax` bytes. */
  tooLarge?: ((sizeBytes: number) => Error) | undefined
  /** Writes words as positions in this list. @default as texts */
  words?: StringTable | undefined
  /** Writes each text once and refers to it by number afterwards. @default false */
  sharesTexts?: boolean | undefined
}

/** Form of a text: the lowest two bits of its head. */
export const textForm = { latin1: 0, utf16: 1, hex: 2, known: 3 } as const

const wholeBytesMax = 8
// Value of a lower-case hex digit; 255 for other characters.
const digitValue = new Uint8Array(128).fill(255)
for (let value = 0; value < 16; value++) digitValue[value.toString(16).charCodeAt(0)] = value

// Wider than any amount on an EVM chain (256 bits and a carry). Beyond it a hex string is faster
// than shifting.
const shiftedAmountEnd = 1n << 320n

/**
 * Appends values to growing bytes. `start` reuses the same bytes: a caller that keeps them must
 * copy them.
 */
export class ByteWriter {
  bytes: Buffer
  length = 0
  readonly #bytesMax: number
  readonly #tooLarge: ((sizeBytes: number) => Error) | undefined
  readonly #words: StringTable | null
  readonly #known: Map<string, number> | null
  #view: DataView

  constructor(options: ByteWriterOptions = {}) {
    const { capacityBytes = 256, bytesMax = Number.POSITIVE_INFINITY } = options
    this.bytes = Buffer.alloc(Math.min(capacityBytes, bytesMax))
    this.#view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
    this.#bytesMax = bytesMax
    this.#tooLarge = options.tooLarge
    this.#words = options.words ?? null
    this.#known = options.sharesTexts ? new Map() : null
  }

  start(): this {
    this.length = 0
    this.#known?.clear()
    return this
  }

  /** A view that is valid until the next write. */
  written(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.bytes[this.length++] = value
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  flag(value: boolean): void {
    this.byte(value ? 1 : 0)
  }

  u16(value: number): void {
    this.byte(value & 0xff)
    this.byte(value >> 8)
  }

  u32(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.length, value, true)
    this.length += 4
  }

  /** An integer from 0: seven bits a byte, lowest first. */
  whole(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      assert.fail(`not a whole number that fits: ${value}`)
    this.#reserve(wholeBytesMax)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80
      // Not a shift: shifts are limited to 32 bits.
      rest = rest < 0x8000_0000 ? rest >>> 7 : Math.floor(rest / 0x80)
    }
    this.bytes[this.length++] = rest
  }

  /** Null is 0, so every value is one higher. */
  wholeOrNull(value: number | null): void {
    this.whole(value === null ? 0 : value + 1)
  }

  list<item>(items: readonly item[], write: (item: item) => void): void {
    this.whole(items.length)
    for (const item of items) write(item)
  }

  float(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.length, value, true)
    this.length += 8
  }

  floatOrNull(value: number | null): void {
    this.flag(value !== null)
    if (value !== null) this.float(value)
  }

  /**
   * Head: twice the number of bytes, plus one if negative. Then the magnitude, lowest byte first.
   * Null is head 1.
   */
  amount(value: bigint): void {
    const isNegative = value < 0n
    let rest = isNegative ? -value : value
    if (rest >= shiftedAmountEnd) {
      this.#longAmount(rest, isNegative)
      return
    }
    this.#reserve(1 + 48)
    const head = this.length
    let end = head + 1
    for (let at = head + 1; rest > 0n; at += 8) {
      this.#view.setBigUint64(at, rest, true)
      rest >>= 64n
      end = at + 8
    }
    while (end > head + 1 && this.bytes[end - 1] === 0) end--
    this.bytes[head] = (end - head - 1) * 2 + (isNegative ? 1 : 0)
    this.length = end
  }

  amountOrNull(value: bigint | null): void {
    if (value === null) this.byte(1)
    else this.amount(value)
  }

  /**
   * Head: number of bytes, or of a known text, times four, plus the form. Canonical hex (0x, lower
   * case) takes half its length.
   */
  text(value: string): void {
    if (this.#known !== null) {
      const place = this.#known.get(value)
      if (place !== undefined) {
        this.whole(place * 4 + textForm.known)
        return
      }
      this.#known.set(value, this.#known.size)
    }
    if (!this.#hex(value)) this.plainText(value)
  }

  /** A text in full, even if it is hex. Takes two bytes a character only if one is not enough. */
  plainText(value: string): void {
    const { length } = value
    const head = this.length
    this.whole(length * 4 + textForm.latin1)
    this.#reserve(length)
    const from = this.length
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index)
      if (code > 0xff) {
        this.length = head
        this.whole(length * 8 + textForm.utf16)
        this.#reserve(length * 2)
        this.length += this.bytes.write(value, this.length, 'utf16le')
        return
      }
      this.bytes[from + index] = code
    }
    this.length = from + length
  }

  /** A text shared by many records. */
  word(value: string): void {
    if (this.#words === null) this.text(value)
    else this.whole(this.#words.placeOf(value))
  }

  wordOrNull(value: string | null): void {
    if (this.#words === null) this.flag(value !== null)
    else if (value === null) this.whole(nullPosition)
    if (value !== null) this.word(value)
  }

  #hex(value: string): boolean {
    if (value.length < 2 || value.length % 2 !== 0 || !value.startsWith('0x')) return false
    const before = this.length
    const sizeBytes = (value.length - 2) / 2
    this.whole(sizeBytes * 4 + textForm.hex)
    this.#reserve(sizeBytes)
    for (let i = 2; i < value.length; i += 2) {
      const high = digitValue[value.charCodeAt(i)] ?? 255
      const low = digitValue[value.charCodeAt(i + 1)] ?? 255
      if ((high | low) > 15) {
        this.length = before
        return false
      }
      this.bytes[this.length++] = (high << 4) | low
    }
    return true
  }

  #longAmount(magnitude: bigint, isNegative: boolean): void {
    const digits = magnitude.toString(16)
    const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').reverse()
    this.whole(bytes.length * 2 + (isNegative ? 1 : 0))
    this.raw(bytes)
  }

  #reserve(sizeBytes: number): void {
    const needBytes = this.length + sizeBytes
    if (needBytes <= this.bytes.length) return
    if (needBytes > this.#bytesMax) throw this.#tooLarge!(needBytes)
    const grown = Buffer.alloc(Math.min(Math.max(needBytes, this.bytes.length * 2), this.#bytesMax))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
    this.#view = new DataView(grown.buffer, grown.byteOffset, grown.length)
  }
}
