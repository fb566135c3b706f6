import type { EncodedParts } from '../encoded.ts'
import type { TokenText } from '../rows/tokenTexts.ts'

/** JSON around a list, ASCII. */
export type ListFrame = { before: string; after: string }

const comma = 0x2c
const braceEnd = 0x7d

/**
 * A JSON array of rows, put together in the buffer that it is sent from: as a text it would be a megabyte that has to be
 * moved or searched for when garbage is collected.
 */
export function encodedList(rows: readonly TokenText[], frame: ListFrame): EncodedParts {
  const before = `${frame.before}[`
  const after = `]${frame.after}`
  let sizeBytes = before.length + after.length + Math.max(0, rows.length - 1)
  for (const { headBytes, windows } of rows) sizeBytes += headBytes + windows.length + 1
  return {
    sizeBytes,
    write(to, from) {
      let at = from + to.write(before, from, 'latin1')
      for (let index = 0; index < rows.length; index += 1) {
        const { head, headBytes, windows } = rows[index]!
        if (index > 0) {
          to[at] = comma
          at += 1
        }
        // As many bytes as characters: ASCII, for which this is the quicker way.
        at += to.write(head, at, headBytes, head.length === headBytes ? 'latin1' : 'utf8')
        at += to.write(windows, at, windows.length, 'latin1')
        to[at] = braceEnd
        at += 1
      }
      to.write(after, at, 'latin1')
    },
  }
}
