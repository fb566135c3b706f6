import { type EncodedParts, encodedBytes } from '../../operation/encoded.ts'
import { partsTag } from '../../rows/rowCache.ts'
import type { TokenRowParts } from '../../rows/tokenRows.ts'

/** ASCII JSON before and after a list. */
export type ListFrame = { before: string; after: string }

export const bareFrame: ListFrame = { before: '', after: '' }

const comma = Buffer.from(',')

/**
 * Encodes a JSON array of rows directly into the response buffer: a string of this size would
 * burden the garbage collector with a megabyte.
 */
export function encodedList(rows: readonly TokenRowParts[], frame: ListFrame): EncodedParts {
  const before = `${frame.before}[`
  const after = `]${frame.after}`
  const buffers: Buffer[] = [Buffer.from(before)]
  for (const [index, { lasting, moving }] of rows.entries()) {
    if (index > 0) buffers.push(comma)
    buffers.push(lasting.bytes, moving.bytes)
  }
  buffers.push(Buffer.from(after))
  return encodedBytes(buffers, () =>
    partsTag(
      rows.flatMap(({ lasting, moving }) => [lasting, moving]),
      before + after,
    ),
  )
}
