import { finished } from 'node:stream/promises'
import type { Client } from 'pg'
import { from } from 'pg-copy-streams'

// Rows handed over at once: enough for few writes, and few enough that their bytes are sent while others are made.
const rowsPerChunk = 512

/** Sends rows in COPY's text format. `target` is a table with its columns. */
export async function copyRows(
  client: Client,
  target: string,
  rows: readonly string[],
): Promise<void> {
  if (rows.length === 0) return
  const stream = client.query(from(`COPY ${target} FROM STDIN`))
  // Registered before the first write: a connection that breaks in between must not go unheard.
  const done = finished(stream)
  for (let start = 0; start < rows.length; start += rowsPerChunk) {
    const end = Math.min(rows.length, start + rowsPerChunk)
    // Put together as a rope: its characters are copied once, into the bytes, and not into a text before.
    let text = ''
    for (let row = start; row < end; row += 1) text += rows[row]!
    stream.write(Buffer.from(text))
  }
  stream.end()
  await done
}

const special = /[\\\t\n\r\0]/
const specials = /[\\\t\n\r\0]/g
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  // PostgreSQL's text cannot hold a zero byte.
  '\0': '\uFFFD',
}

export function copyText(value: string): string {
  return special.test(value) ? value.replace(specials, (character) => escapes[character]!) : value
}

/** Shortest text that reads back as the same double. */
export function copyFloat(value: number | null): string {
  if (value === null) return '\\N'
  return value === 0 && 1 / value < 0 ? '-0' : String(value)
}

export function copyBigint(value: bigint | null): string {
  return value === null ? '\\N' : value.toString()
}
