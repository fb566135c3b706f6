import { strict as assert } from 'node:assert'
import { writeText } from '../../operation/encoded.ts'

type ByteRingOptions = {
  segmentBytes: number
  /** Rows stay cached for as long while there is memory. */
  keepMs: number
  nowMs(): number
  /** Memory for one more segment, or null: the one written first is used again. */
  takeSegment(): Buffer | null
}

/** What a ring has in any case. */
export const segmentsMin = 16
// Segments that are not overwritten soon after a row in them was given out: the more, the more rows have to be moved.
const lastingMin = 4
const lastingShift = 3

/**
 * Rows as bytes, outside of the heap: as texts they would be hundreds of megabytes that the collector of garbage has to
 * look through again and again. Written one behind the other into segments; when there is no more memory, the oldest
 * segment makes room. It takes more memory for rows that were written just now, and while rows are missed that it had to
 * give up: a small market stays small.
 */
export class ByteRing {
  readonly #options: ByteRingOptions
  readonly #segments: Buffer[] = []
  /** When each segment was begun; counts up from 1, so that the live ones are always the last so many. */
  readonly #generations: number[] = []
  readonly #begunMs: number[] = []
  #current = -1
  #at: number
  #newest = 0
  #missed = 0

  constructor(options: ByteRingOptions) {
    this.#options = options
    // Nothing fits in before the first segment.
    this.#at = options.segmentBytes + 1
  }

  /** Room for a row, to be filled now. One that no segment can hold has bytes of its own, and is not cached. */
  reserve(sizeBytes: number): RowBytes {
    const { segmentBytes } = this.#options
    if (sizeBytes > segmentBytes) return ownBytes(Buffer.allocUnsafe(sizeBytes))
    if (this.#at + sizeBytes > segmentBytes) this.#begin()
    const at = this.#at
    this.#at += sizeBytes
    return new RowBytes(
      this.#segments[this.#current]!,
      at,
      sizeBytes,
      this,
      this.#current,
      this.#newest,
    )
  }

  /** Are the bytes still those that were written then? */
  holds(segment: number, generation: number): boolean {
    return this.#generations[segment] === generation
  }

  /**
   * The row that was written there, or null when it was overwritten. What is given out stays until at least `lasting`
   * segments are begun: an older row is moved to the front.
   */
  find(segment: number, generation: number, at: number, sizeBytes: number): RowBytes | null {
    if (this.#generations[segment] !== generation) return null
    const row = new RowBytes(this.#segments[segment]!, at, sizeBytes, this, segment, generation)
    const age = this.#newest - generation
    // Until it has those that it has in any case, none is overwritten.
    const count = Math.max(this.#segments.length, segmentsMin)
    return age < count - this.lasting ? row : this.#moved(row)
  }

  /** Somebody wanted a row that would still be good. */
  miss(): void {
    this.#missed += 1
  }

  /** How many segments can be begun before anything that is given out now is overwritten. */
  get lasting(): number {
    return Math.max(lastingMin, this.#segments.length >> lastingShift)
  }

  get newest(): number {
    return this.#newest
  }

  #moved(row: RowBytes): RowBytes {
    const moved = this.reserve(row.sizeBytes)
    // Its own segment may be the one that was just begun again: nothing is overwritten there yet.
    row.buffer.copy(moved.buffer, moved.at, row.at, row.at + row.sizeBytes)
    return moved
  }

  #begin(): void {
    const { keepMs, takeSegment, nowMs } = this.#options
    const count = this.#segments.length
    const oldest = this.#generations.indexOf(this.#newest + 1 - count)
    const isWanted =
      count < segmentsMin || this.#missed > 0 || nowMs() - this.#begunMs[oldest]! < keepMs
    const more = isWanted ? takeSegment() : null
    this.#missed = 0
    this.#newest += 1
    this.#at = 0
    if (more === null) {
      assert(count > 1, 'there is memory for some segments')
      this.#current = oldest
    } else {
      this.#current = count
      this.#segments.push(more)
    }
    this.#begunMs[this.#current] = nowMs()
    this.#generations[this.#current] = this.#newest
  }
}

/** Where the bytes of a row are. To be written on in the same turn: later they may be those of another. */
export class RowBytes {
  readonly buffer: Buffer
  readonly at: number
  readonly sizeBytes: number
  /** Null: they are its own. */
  readonly ring: ByteRing | null
  readonly segment: number
  readonly generation: number

  constructor(
    buffer: Buffer,
    at: number,
    sizeBytes: number,
    ring: ByteRing | null,
    segment: number,
    generation: number,
  ) {
    this.buffer = buffer
    this.at = at
    this.sizeBytes = sizeBytes
    this.ring = ring
    this.segment = segment
    this.generation = generation
  }

  /** False: the bytes are those of another row by now. */
  isValid(): boolean {
    return this.ring === null || this.ring.holds(this.segment, this.generation)
  }

  /** Gives where it ends. */
  write(to: Buffer, at: number): number {
    if (!this.isValid()) assert.fail('a row is written in the turn in which it was read')
    this.buffer.copy(to, at, this.at, this.at + this.sizeBytes)
    return at + this.sizeBytes
  }

  /** For good. */
  held(): RowBytes {
    if (this.ring === null) return this
    const own = Buffer.allocUnsafe(this.sizeBytes)
    this.write(own, 0)
    return ownBytes(own)
  }
}

export function ownBytes(buffer: Buffer): RowBytes {
  return new RowBytes(buffer, 0, buffer.length, null, -1, 0)
}

// Of the row that is being written: counting the bytes of a text takes as long as writing them.
const partSizes: number[] = []

/** Writes a row that is texts and other rows, one behind the other. */
export function writeRow(ring: ByteRing, parts: readonly (string | RowBytes)[]): RowBytes {
  let sizeBytes = 0
  for (let index = 0; index < parts.length; index += 1) {
    const partBytes = sizeOf(parts[index]!)
    partSizes[index] = partBytes
    sizeBytes += partBytes
  }
  const row = ring.reserve(sizeBytes)
  let { at } = row
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]!
    const partBytes = partSizes[index]!
    if (typeof part === 'string') writeText(row.buffer, at, part, partBytes)
    else part.write(row.buffer, at)
    at += partBytes
  }
  return row
}

function sizeOf(part: string | RowBytes): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.sizeBytes
}

export function writeTextRow(ring: ByteRing, text: string): RowBytes {
  const sizeBytes = Buffer.byteLength(text)
  const row = ring.reserve(sizeBytes)
  writeText(row.buffer, row.at, text, sizeBytes)
  return row
}
