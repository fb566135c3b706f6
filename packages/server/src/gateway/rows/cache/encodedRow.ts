import { createHash, randomBytes } from 'node:crypto'
import type { EncodedParts } from '../../operation/encoded.ts'
import type { RowBytes } from './byteRing.ts'

/** An answer of one row, of the parts in which it is cached, behind a start that is always the same. */
class EncodedRow implements EncodedParts {
  readonly sizeBytes: number
  readonly #parts: readonly RowBytes[]
  readonly #start: RowBytes | null

  constructor(parts: readonly RowBytes[], start: RowBytes | null) {
    let sizeBytes = start === null ? 0 : start.sizeBytes
    for (const part of parts) sizeBytes += part.sizeBytes
    this.sizeBytes = sizeBytes
    this.#parts = parts
    this.#start = start
  }

  write(to: Buffer, from: number): void {
    let at = this.#start === null ? from : this.#start.write(to, from)
    for (const part of this.#parts) at = part.write(to, at)
  }

  tag(): string | null {
    return rowsTag(this.#parts)
  }
}

export function encodedRow(
  parts: readonly RowBytes[],
  start: RowBytes | null = null,
): EncodedParts {
  return new EncodedRow(parts, start)
}

// Places mean nothing to another process.
const ofProcess = randomBytes(6).toString('base64url')
const radix = 36
const fewRows = 4

/**
 * A name for the bytes of these rows, by where they stand: what was written there is never changed, only given up, and no place
 * is written to twice in one generation. The rows come in the same order each time, with the same around them. Null: some are
 * not cached, and have no place.
 */
export function rowsTag(rows: readonly RowBytes[], around = ''): string | null {
  if (rows.some(({ ring }) => ring === null)) return null
  if (rows.length <= fewRows && around === '') {
    let tag = ofProcess
    for (const { generation, at } of rows)
      tag += `.${generation.toString(radix)}.${at.toString(radix)}`
    return tag
  }
  const places = new Float64Array(rows.length * 2)
  for (let index = 0; index < rows.length; index += 1) {
    places[index * 2] = rows[index]!.generation
    places[index * 2 + 1] = rows[index]!.at
  }
  return createHash('sha1').update(ofProcess).update(around).update(places).digest('base64url')
}
