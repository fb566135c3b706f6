import { SnapshotUnreadableError } from '../errors.ts'

const frameLengthBytes = 4

/** Bytes behind their length, in a copy. `bodyBytes` is the length of what follows. */
export function framed(bytes: Uint8Array, bodyBytes?: number): Buffer {
  const frame = Buffer.alloc(bytes.length + frameLengthBytes * (bodyBytes === undefined ? 1 : 2))
  frame.writeUInt32LE(bytes.length)
  frame.set(bytes, frameLengthBytes)
  if (bodyBytes !== undefined) frame.writeUInt32LE(bodyBytes, frame.length - frameLengthBytes)
  return frame
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

/** Goes through bytes in parts, however they were divided. */
export class PartReader {
  private readonly parts: ByteParts
  private place: BytePlace = { part: 0, at: 0 }

  constructor(parts: SnapshotBytes) {
    this.parts = withLastPart(partsOf(parts))
  }

  get isAtEnd(): boolean {
    this.goToPart()
    return this.place.part === this.parts.count
  }

  /** The next bytes, as views of the parts, which are read when they are asked for. */
  take(length: number): ByteRuns {
    this.goToPart()
    const from = this.place
    for (let left = length; left > 0; ) {
      this.goToPart()
      const { part, at } = this.place
      if (part === this.parts.count) throw new SnapshotUnreadableError('It ends too early.')
      const taken = Math.min(left, this.parts.lengthOf(part) - at)
      this.place = { part, at: at + taken }
      left -= taken
    }
    return new ByteRuns(this.parts, from, length)
  }

  /** Bytes behind their length. */
  frame(): ByteRuns {
    return this.take(this.take(frameLengthBytes).joined().readUInt32LE())
  }

  /** Leaves a part that has nothing more. */
  private goToPart(): void {
    let { part, at } = this.place
    while (part < this.parts.count && at === this.parts.lengthOf(part)) [part, at] = [part + 1, 0]
    this.place = { part, at }
  }
}

/** Small things are read from one part after another: the last one is not read again for each. */
function withLastPart(parts: ByteParts): ByteParts {
  let last: { index: number; bytes: Uint8Array } | null = null
  return {
    count: parts.count,
    lengthOf: (index) => parts.lengthOf(index),
    part(index) {
      if (last?.index !== index) last = { index, bytes: parts.part(index) }
      return last.bytes
    },
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
  joined(): Buffer {
    const runs = [...this]
    if (runs.length !== 1) return Buffer.concat(runs)
    const { buffer, byteOffset, byteLength } = runs[0]!
    return Buffer.from(buffer, byteOffset, byteLength)
  }
}

export function runsOf(...parts: readonly Uint8Array[]): ByteRuns {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return new ByteRuns(partsOf(parts), { part: 0, at: 0 }, length)
}

/** Several runs of bytes as one. */
export class RunReader {
  private readonly runs: Iterator<Uint8Array>
  private run: Uint8Array = new Uint8Array()
  private at = 0

  constructor(runs: Iterable<Uint8Array>) {
    this.runs = runs[Symbol.iterator]()
  }

  read(to: Uint8Array): void {
    for (let done = 0; done < to.length; ) {
      const run = this.current()
      const taken = run.subarray(this.at, this.at + to.length - done)
      to.set(taken, done)
      done += taken.length
      this.at += taken.length
    }
  }

  skip(count: number): void {
    for (let left = count; left > 0; ) {
      const taken = Math.min(left, this.current().length - this.at)
      left -= taken
      this.at += taken
    }
  }

  /** A view where they lie in one run, else a copy. */
  take(length: number): Uint8Array {
    const run = length === 0 ? this.run : this.current()
    if (run.length - this.at >= length) {
      this.at += length
      return run.subarray(this.at - length, this.at)
    }
    const bytes = new Uint8Array(length)
    this.read(bytes)
    return bytes
  }

  private current(): Uint8Array {
    while (this.at === this.run.length) {
      const next = this.runs.next()
      if (next.done === true) throw new SnapshotUnreadableError('It ends too early.')
      this.run = next.value
      this.at = 0
    }
    return this.run
  }
}
