const firstBytes = 256
const hexBytes = { 42: 20, 66: 32 } as Readonly<Record<number, number>>
const wordMask = (1n << 64n) - 1n

/** How an address begins: what it is made of. */
export const addressForm = { text: 0, hex20: 1, hex32: 2 } as const

/** Puts a record into bytes, one after another into the same ones: whoever wants to keep them copies them. */
export class RecordWriter {
  bytes = Buffer.alloc(firstBytes)
  length = 0
  private view = new DataView(this.bytes.buffer, this.bytes.byteOffset)

  start(): this {
    this.length = 0
    return this
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length] = value
    this.length += 1
  }

  /** Whole, at least 0, and exact as a double. */
  whole(value: number): void {
    this.reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.length] = (rest % 0x80) | 0x80
      this.length += 1
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.length] = rest
    this.length += 1
  }

  /** Any double: nearly all are small whole numbers. */
  number(value: number): void {
    if (Number.isSafeInteger(value) && value >= 0 && value < Number.MAX_SAFE_INTEGER) {
      // A zero below 0 is another double.
      if (!Object.is(value, -0)) {
        this.whole(value + 1)
        return
      }
    }
    this.whole(0)
    this.reserve(8)
    this.view.setFloat64(this.length, value, true)
    this.length += 8
  }

  /** Two bytes a character only where one is not enough. */
  text(value: string): void {
    const { length } = value
    this.whole(length * 2)
    this.reserve(length * 2)
    const from = this.length
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index)
      if (code > 0xff) {
        // The length again, with the bit that says so: as long as before.
        this.length = from - wholeBytes(length * 2)
        this.whole(length * 2 + 1)
        this.length += this.bytes.write(value, this.length, 'utf16le')
        return
      }
      this.bytes[from + index] = code
    }
    this.length = from + length
  }

  /** In half the bytes where it is hexadecimal. */
  address(value: string): void {
    const count = hexBytes[value.length]
    if (count !== undefined && value.startsWith('0x')) {
      this.reserve(1 + count)
      const from = this.length + 1
      if (this.hex(value, from, count)) {
        this.bytes[this.length] = count === 20 ? addressForm.hex20 : addressForm.hex32
        this.length = from + count
        return
      }
    }
    this.byte(addressForm.text)
    this.text(value)
  }

  /** How many bytes and whether it is below 0, then the bytes, the lowest first. */
  amount(value: bigint): void {
    const isBelow = value < 0n
    let rest = isBelow ? -value : value
    const head = this.length
    // The longest is that of 256 bits; others grow word by word.
    this.reserve(2)
    this.length += 2
    const from = this.length
    while (rest > 0n) {
      this.reserve(8)
      this.view.setBigUint64(this.length, rest & wordMask, true)
      this.length += 8
      rest >>= 64n
    }
    while (this.length > from && this.bytes[this.length - 1] === 0) this.length -= 1
    const count = this.length - from
    this.bytes[head] = count & 0xff
    this.bytes[head + 1] = (count >> 8) * 2 + Number(isBelow)
  }

  private hex(value: string, from: number, count: number): boolean {
    for (let index = 0; index < count; index += 1) {
      const high = digitOf(value.charCodeAt(2 + index * 2))
      const low = digitOf(value.charCodeAt(3 + index * 2))
      if ((high | low) < 0) return false
      this.bytes[from + index] = high * 16 + low
    }
    return true
  }

  private reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.bytes.length) return
    const grown = Buffer.alloc(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(grown)
    this.bytes = grown
    this.view = new DataView(grown.buffer, grown.byteOffset)
  }
}

/** -1: none, or one that would come back in another case. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 102 ? code - 87 : -1
}

function wholeBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1
  return bytes
}
