import type { EncodedParts } from '../../operation/encoded.ts'
import type { RowBytes } from './byteRing.ts'
import { rowsTag } from './rowsTag.ts'

/** An answer of one row, of the parts in which it is kept, behind a start that is always the same. */
export function encodedRow(
  parts: readonly RowBytes[],
  start: RowBytes | null = null,
): EncodedParts {
  let sizeBytes = start?.sizeBytes ?? 0
  for (const part of parts) sizeBytes += part.sizeBytes
  return {
    sizeBytes,
    write(to, from) {
      let at = start?.write(to, from) ?? from
      for (const part of parts) at = part.write(to, at)
    },
    tag: () => rowsTag(parts),
  }
}
