import { addressForm } from './recordWriter.ts'

const digits = Buffer.from('0123456789abcdef', 'latin1')
/** An address while it is put together. */
const hexText = Buffer.from(`0x${'0'.repeat(64)}`, 'latin1')
const words = new BigUint64Array(1)
const wordBytes = new Uint8Array(words.buffer)
const doubles = new Float64Array(1)
const doubleBytes = new Uint8Array(doubles.buffer)

const asciiMax = 0x7f
export const upperA = 0x41
export const upperZ = 0x5a
/** From a capital letter to the small one. */
export const toLower = 0x20

/** Reads what `RecordWriter` has written, in the same order. */
export class RecordReader {
  bytes: Buffer = Buffer.alloc(0)
  at = 0

  byte(): number {
    const value = this.bytes[this.at]!
    this.at += 1
    return value
  }

  whole(): number {
    const { bytes } = this
    let value = bytes[this.at]!
    this.at += 1
    if (value < 0x80) return value
    value -= 0x80
    for (let unit = 0x80; ; unit *= 0x80) {
      const next = bytes[this.at]!
      this.at += 1
      if (next < 0x80) return value + next * unit
      value += (next - 0x80) * unit
    }
  }

  number(): number {
    const value = this.whole()
    if (value > 0) return value - 1
    for (let index = 0; index < 8; index += 1) doubleBytes[index] = this.byte()
    return doubles[0]!
  }

  text(): string {
    const head = this.whole()
    const from = this.at
    if (head % 2 === 1) {
      this.at = from + head - 1
      return this.bytes.toString('utf16le', from, this.at)
    }
    this.at = from + head / 2
    return this.bytes.toString('latin1', from, this.at)
  }

  /**
   * Is the text this word, which is in lower case, whatever its own case is? Undefined: it has other letters than ASCII or more than
   * `lengthMax`, and whoever wants to know has to read it. Goes on behind it.
   */
  isWord(word: string, lengthMax: number): boolean | undefined {
    const head = this.whole()
    const from = this.at
    if (head % 2 === 1) {
      this.at = from + head - 1
      return undefined
    }
    const length = head / 2
    this.at = from + length
    if (length > lengthMax) return undefined
    const { bytes } = this
    let isSame = length === word.length
    for (let index = 0; index < length; index += 1) {
      const byte = bytes[from + index]!
      if (byte > asciiMax) return undefined
      const lower = byte >= upperA && byte <= upperZ ? byte + toLower : byte
      if (isSame && lower !== word.charCodeAt(index)) isSame = false
    }
    return isSame
  }

  skipText(): void {
    const head = this.whole()
    this.at += head % 2 === 1 ? head - 1 : head / 2
  }

  address(): string {
    const form = this.byte()
    if (form === addressForm.text) return this.text()
    const count = form === addressForm.hex20 ? 20 : 32
    const { bytes, at } = this
    for (let index = 0; index < count; index += 1) {
      const byte = bytes[at + index]!
      hexText[2 + index * 2] = digits[byte >> 4]!
      hexText[3 + index * 2] = digits[byte & 15]!
    }
    this.at = at + count
    return hexText.toString('latin1', 0, 2 + count * 2)
  }

  skipAddress(): void {
    const form = this.byte()
    if (form === addressForm.text) this.skipText()
    else this.at += form === addressForm.hex20 ? 20 : 32
  }

  amount(): bigint {
    const low = this.byte()
    const high = this.byte()
    const count = low + (high >> 1) * 0x100
    if (count === 0) return 0n
    const { bytes, at } = this
    this.at = at + count
    let value = 0n
    for (let from = Math.floor((count - 1) / 8) * 8; from >= 0; from -= 8) {
      words[0] = 0n
      const length = Math.min(8, count - from)
      for (let index = 0; index < length; index += 1) wordBytes[index] = bytes[at + from + index]!
      value = from + 8 >= count ? words[0] : (value << 64n) | words[0]
    }
    return (high & 1) === 1 ? -value : value
  }
}
