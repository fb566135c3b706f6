import { type EncodedParts, encodedBytes } from '../../operation/encoded.ts'
import { partsTag } from '../../rows/rowCache.ts'
import type { TokenRowParts } from '../../rows/tokenRows.ts'

/** JSON around a list, ASCII. */
export type ListFrame = { before: string; after: string }

export const bareFrame: ListFrame = { before: '', after: '' }

const comma = Buffer.from(',')

/**
 * A JSON array of rows, put together in the buffer that it is sent from: as a text it would be a megabyte that has to be
 * moved or searched for when garbage is collected.
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
