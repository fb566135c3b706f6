import type { EncodedParts } from '../../operation/encoded.ts'
import type { RowBytes } from './byteRing.ts'
import { rowsTag } from './rowsTag.ts'

/** An answer of one row, of the parts in which it is kept, behind a start that is always the same. */
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
