import { strict as assert } from 'node:assert'
import type { EncodedParts } from '../../operation/encoded.ts'
import { rowsTag } from '../../rows/cache/encodedRow.ts'
import type { TokenRowBytes } from '../../rows/tokenRows.ts'

/** JSON around a list, ASCII. */
export type ListFrame = { before: string; after: string }

export const bareFrame: ListFrame = { before: '', after: '' }

const comma = 0x2c

/**
 * A JSON array of rows, put together in the buffer that it is sent from: as a text it would be a megabyte that has to be
 * moved or searched for when garbage is collected.
 */
export function encodedList(rows: readonly TokenRowBytes[], frame: ListFrame): EncodedParts {
  const before = `${frame.before}[`
  const after = `]${frame.after}`
  let sizeBytes = before.length + after.length + Math.max(0, rows.length - 1)
  for (const { lasting, moving } of rows) sizeBytes += lasting.sizeBytes + moving.sizeBytes
  return {
    sizeBytes,
    write(to, from) {
      let at = from + to.write(before, from, 'latin1')
      for (let index = 0; index < rows.length; index += 1) {
        if (index > 0) to[at++] = comma
        const { lasting, moving } = rows[index]!
        at = moving.write(to, lasting.write(to, at))
      }
      at += to.write(after, at, 'latin1')
      assert.equal(at, from + sizeBytes, 'the size is known before')
    },
    tag: () =>
      rowsTag(
        rows.flatMap(({ lasting, moving }) => [lasting, moving]),
        before + after,
      ),
  }
}
