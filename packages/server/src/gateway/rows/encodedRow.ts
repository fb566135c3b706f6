import type { EncodedParts } from '../encoded.ts'
import type { RowBytes } from './byteRing.ts'

/** An answer of one row, of the parts in which it is kept. */
export function encodedRow(parts: readonly RowBytes[]): EncodedParts {
  let sizeBytes = 0
  for (const part of parts) sizeBytes += part.sizeBytes
  return {
    sizeBytes,
    write(to, from) {
      let at = from
      for (const part of parts) at = part.write(to, at)
    },
  }
}
