import { SnapshotUnreadableError } from '../errors.ts'

const firstBytes = 1 << 16

/**
 * Appends numbers and text, little-endian, to bytes in parts: all of them at once may be more than one array holds. What is large stays where it
 * is, as a part of its own.
 */
export class ByteWriter {
  private readonly parts: Uint8Array[] = []
  private bytes = new Uint8Array(firstBytes)
  private view = new DataView(this.bytes.buffer)
  private length = 0
  private readonly encoder = new TextEncoder()

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
    if (value.length <= firstBytes) {
      const at = this.take(value.length)
      this.bytes.set(value, at)
      return
    }
    this.endPart()
    this.parts.push(value)
  }

  /** They are to be read before what was given changes. */
  finish(): Uint8Array[] {
    this.endPart()
    return this.parts
  }

  private take(count: number): number {
    if (this.length + count > this.bytes.length) this.endPart()
    const at = this.length
    this.length += count
    return at
  }

  private endPart(): void {
    if (this.length === 0) return
    this.parts.push(this.bytes.subarray(0, this.length))
    this.bytes = new Uint8Array(firstBytes)
    this.view = new DataView(this.bytes.buffer)
    this.length = 0
  }
}

/** Reads bytes that are in parts, however they were divided. */
export class ByteReader {
  private readonly parts: readonly Uint8Array[]
  private part = 0
  private at = 0
  private readonly decoder = new TextDecoder()

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts
  }

  u32(): number {
    return viewOf(this.take(4)).getUint32(0, true)
  }

  f64(): number {
    return viewOf(this.take(8)).getFloat64(0, true)
  }

  text(): string {
    return this.decoder.decode(this.raw())
  }

  big(): bigint {
    const words = this.take(1)[0]!
    const view = viewOf(this.take(words * 8))
    let value = 0n
    for (let word = words - 1; word >= 0; word -= 1)
      value = (value << 64n) | view.getBigUint64(word * 8, true)
    return value
  }

  raw(): Uint8Array {
    return this.take(this.u32())
  }

  /** As `raw`, in runs that are views of the parts. */
  runs(): Uint8Array[] {
    return this.takeRuns(this.u32())
  }

  get isAtEnd(): boolean {
    return this.rest() === null
  }

  /** A copy only of what lies in several parts. */
  private take(count: number): Uint8Array {
    const rest = this.rest()
    if (rest !== null && rest.length >= count) {
      this.at += count
      return rest.subarray(0, count)
    }
    return Buffer.concat(this.takeRuns(count))
  }

  private takeRuns(count: number): Uint8Array[] {
    const runs: Uint8Array[] = []
    for (let left = count; left > 0; ) {
      const run = this.rest()?.subarray(0, left)
      if (run === undefined) throw new SnapshotUnreadableError('It ends too early.')
      runs.push(run)
      this.at += run.length
      left -= run.length
    }
    return runs
  }

  /** What is left of the part in hand; null: there is nothing more. */
  private rest(): Uint8Array | null {
    while (this.at === this.parts[this.part]?.length) {
      this.part += 1
      this.at = 0
    }
    return this.parts[this.part]?.subarray(this.at) ?? null
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
