import { SnapshotUnreadableError } from '../errors.ts'

const frameLengthBytes = 4

/**
 * Returns a copy of the bytes after their length prefix. `bodyBytes`, if given, is appended as the
 * length of the frame that follows.
 */
export function withLengthPrefix(bytes: Uint8Array, bodyBytes?: number): Buffer {
  const frame = Buffer.alloc(bytes.length + frameLengthBytes * (bodyBytes === undefined ? 1 : 2))
  frame.writeUInt32LE(bytes.length)
  frame.set(bytes, frameLengthBytes)
  if (bodyBytes !== undefined) frame.writeUInt32LE(bodyBytes, frame.length - frameLengthBytes)
  return frame
}

/** Bytes in several parts, each of which is loaded only when requested. */
type ByteParts = {
  readonly count: number
  lengthOf(index: number): number
  part(index: number): Uint8Array
}

/** All bytes of a snapshot. */
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

/** Reads bytes from several parts, wherever they are split. */
export class PartReader {
  readonly #parts: ByteParts
  #position: BytePosition = { part: 0, at: 0 }

  constructor(parts: SnapshotBytes) {
    this.#parts = withLastPart(partsOf(parts))
  }

  get isAtEnd(): boolean {
    this.#skipUsedParts()
    return this.#position.part === this.#parts.count
  }

  /**
   * Takes the next bytes as views of the parts. The parts are loaded when the views are iterated.
   */
  take(length: number): ByteRange {
    this.#skipUsedParts()
    const from = this.#position
    for (let left = length; left > 0; ) {
      this.#skipUsedParts()
      const { part, at } = this.#position
      if (part === this.#parts.count)
        throw new SnapshotUnreadableError('The snapshot is truncated.')
      const taken = Math.min(left, this.#parts.lengthOf(part) - at)
      this.#position = { part, at: at + taken }
      left -= taken
    }
    return new ByteRange(this.#parts, from, length)
  }

  /** Takes the next bytes that follow a length prefix. */
  takeFramed(): ByteRange {
    return this.take(this.take(frameLengthBytes).joined().readUInt32LE())
  }

  /** Moves on to the next part when the current one is used up. */
  #skipUsedParts(): void {
    let { part, at } = this.#position
    while (part < this.#parts.count && at === this.#parts.lengthOf(part)) [part, at] = [part + 1, 0]
    this.#position = { part, at }
  }
}

/** Keeps the last loaded part: many small values are read from one part in a row. */
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

type BytePosition = { part: number; at: number }

/** A range of bytes across parts. Every iteration loads the parts again. */
export class ByteRange {
  readonly length: number
  readonly #parts: ByteParts
  readonly #from: BytePosition

  constructor(parts: ByteParts, from: BytePosition, length: number) {
    this.#parts = parts
    this.#from = from
    this.length = length
  }

  *[Symbol.iterator](): Generator<Uint8Array, void, undefined> {
    let { part, at } = this.#from
    for (let left = this.length; left > 0; part += 1, at = 0) {
      const taken = Math.min(left, this.#parts.lengthOf(part) - at)
      if (taken > 0) yield this.#parts.part(part).subarray(at, at + taken)
      left -= taken
    }
  }

  /** All bytes of the range in one buffer; a copy unless the range lies within one part. */
  joined(): Buffer {
    const runs = [...this]
    if (runs.length !== 1) return Buffer.concat(runs)
    const { buffer, byteOffset, byteLength } = runs[0]!
    return Buffer.from(buffer, byteOffset, byteLength)
  }
}

export function byteRangeOf(...parts: readonly Uint8Array[]): ByteRange {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return new ByteRange(partsOf(parts), { part: 0, at: 0 }, length)
}

/** Reads several runs of bytes as if they were one. */
export class ByteRunReader {
  readonly #runs: Iterator<Uint8Array>
  #run: Uint8Array = new Uint8Array()
  #at = 0

  constructor(runs: Iterable<Uint8Array>) {
    this.#runs = runs[Symbol.iterator]()
  }

  read(to: Uint8Array): void {
    for (let done = 0; done < to.length; ) {
      const run = this.#current()
      const taken = run.subarray(this.#at, this.#at + to.length - done)
      to.set(taken, done)
      done += taken.length
      this.#at += taken.length
    }
  }

  skip(count: number): void {
    for (let left = count; left > 0; ) {
      const taken = Math.min(left, this.#current().length - this.#at)
      left -= taken
      this.#at += taken
    }
  }

  /** Takes the next bytes: a view if they lie in one run, otherwise a copy. */
  take(length: number): Uint8Array {
    const run = length === 0 ? this.#run : this.#current()
    if (run.length - this.#at >= length) {
      this.#at += length
      return run.subarray(this.#at - length, this.#at)
    }
    const bytes = new Uint8Array(length)
    this.read(bytes)
    return bytes
  }

  #current(): Uint8Array {
    while (this.#at === this.#run.length) {
      const next = this.#runs.next()
      if (next.done === true) throw new SnapshotUnreadableError('The snapshot is truncated.')
      this.#run = next.value
      this.#at = 0
    }
    return this.#run
  }
}
