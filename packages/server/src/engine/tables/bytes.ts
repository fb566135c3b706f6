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

  runs(value: ByteRuns): void {
    this.u32(value.length)
    for (const run of value) this.bare(run)
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

  /** What is whole by now, to be read before what was given changes; each is handed out once. */
  taken(): Uint8Array[] {
    return this.parts.splice(0)
  }

  /** The rest. */
  finish(): Uint8Array[] {
    this.endPart()
    return this.taken()
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

/** Bytes in parts, which need not be in memory before they are asked for. */
export type ByteParts = {
  readonly count: number
  lengthOf(index: number): number
  part(index: number): Uint8Array
}

/** All of a snapshot. */
export type SnapshotBytes = Iterable<Uint8Array> | ByteParts

export function partsOf(given: SnapshotBytes): ByteParts {
  if (!(Symbol.iterator in given)) return given
  const parts = [...given]
  return {
    count: parts.length,
    lengthOf: (index) => parts[index]!.length,
    part: (index) => parts[index]!,
  }
}

/** Reads bytes that are in parts, however they were divided. */
export class ByteReader {
  private readonly parts: ByteParts
  private place: BytePlace = { part: 0, at: 0 }
  /** The part that small things are read from. */
  private current: { index: number; bytes: Uint8Array } | null = null
  private readonly decoder = new TextDecoder()

  constructor(parts: SnapshotBytes) {
    this.parts = partsOf(parts)
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

  private raw(): Uint8Array {
    return this.take(this.u32())
  }

  /** As `raw`, in runs that are views of the parts, which are read when they are asked for. */
  runs(): ByteRuns {
    return this.skip(this.u32())
  }

  get isAtEnd(): boolean {
    return this.partWith(this.place) === null
  }

  /** A copy only of what lies in several parts. */
  private take(length: number): Uint8Array {
    const from = this.partWith(this.place)
    if (from === null || this.parts.lengthOf(from.part) - from.at < length)
      return this.skip(length).joined()
    this.place = { part: from.part, at: from.at + length }
    if (this.current?.index !== from.part)
      this.current = { index: from.part, bytes: this.parts.part(from.part) }
    return this.current.bytes.subarray(from.at, from.at + length)
  }

  private skip(length: number): ByteRuns {
    const from = this.place
    let left = length
    while (left > 0) {
      const found = this.partWith(this.place)
      if (found === null) throw new SnapshotUnreadableError('It ends too early.')
      const taken = Math.min(left, this.parts.lengthOf(found.part) - found.at)
      this.place = { part: found.part, at: found.at + taken }
      left -= taken
    }
    return new ByteRuns(this.parts, from, length)
  }

  /** The same place, in a part that has something there; null: there is nothing more. */
  private partWith({ part, at }: BytePlace): BytePlace | null {
    let [found, from] = [part, at]
    while (found < this.parts.count && from === this.parts.lengthOf(found))
      [found, from] = [found + 1, 0]
    return found === this.parts.count ? null : { part: found, at: from }
  }
}

type BytePlace = { part: number; at: number }

/** A range of the parts. Each time that it is gone through, they are read again. */
export class ByteRuns {
  readonly length: number
  private readonly parts: ByteParts
  private readonly from: BytePlace

  constructor(parts: ByteParts, from: BytePlace, length: number) {
    this.parts = parts
    this.from = from
    this.length = length
  }

  *[Symbol.iterator](): Generator<Uint8Array, void, undefined> {
    let { part, at } = this.from
    for (let left = this.length; left > 0; part += 1, at = 0) {
      const taken = Math.min(left, this.parts.lengthOf(part) - at)
      if (taken > 0) yield this.parts.part(part).subarray(at, at + taken)
      left -= taken
    }
  }

  /** As one, a copy unless it lies in one part. */
  joined(): Uint8Array {
    const runs = [...this]
    return runs.length === 1 ? runs[0]! : Buffer.concat(runs)
  }
}

export function runsOf(...parts: readonly Uint8Array[]): ByteRuns {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return new ByteRuns(partsOf(parts), { part: 0, at: 0 }, length)
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
