import { SnapshotUnreadableError } from '../errors.ts'

const firstBytes = 1 << 16

/** Appends numbers, text and bigints to one growing run of bytes, little-endian. */
export class ByteWriter {
  private bytes: Uint8Array
  private view: DataView
  private length = 0
  private readonly encoder = new TextEncoder()

  constructor(capacityBytes = firstBytes) {
    this.bytes = new Uint8Array(capacityBytes)
    this.view = new DataView(this.bytes.buffer)
  }

  u32(value: number): void {
    const at = this.take(4)
    this.view.setUint32(at, value, true)
  }

  f64(value: number): void {
    const at = this.take(8)
    this.view.setFloat64(at, value, true)
  }

  text(value: string): void {
    this.raw(this.encoder.encode(value))
  }

  raw(value: Uint8Array): void {
    this.u32(value.length)
    this.bare(value)
  }

  /** Without its length. */
  bare(value: Uint8Array): void {
    const at = this.take(value.length)
    this.bytes.set(value, at)
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  private take(count: number): number {
    const at = this.length
    this.length += count
    if (this.length > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length))
      grown.set(this.bytes.subarray(0, at))
      this.bytes = grown
      this.view = new DataView(grown.buffer)
    }
    return at
  }
}

export class ByteReader {
  private readonly bytes: Uint8Array
  private readonly view: DataView
  private at = 0
  private readonly decoder = new TextDecoder()

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true)
  }

  f64(): number {
    return this.view.getFloat64(this.take(8), true)
  }

  text(): string {
    return this.decoder.decode(this.raw())
  }

  big(): bigint {
    const words = this.bytes[this.take(1)]!
    const at = this.take(words * 8)
    let value = 0n
    for (let word = words - 1; word >= 0; word -= 1)
      value = (value << 64n) | this.view.getBigUint64(at + word * 8, true)
    return value
  }

  raw(): Uint8Array {
    const length = this.u32()
    const at = this.take(length)
    return this.bytes.subarray(at, at + length)
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  private take(count: number): number {
    const at = this.at
    this.at += count
    if (this.at > this.bytes.length) throw new SnapshotUnreadableError('It ends too early.')
    return at
  }
}
