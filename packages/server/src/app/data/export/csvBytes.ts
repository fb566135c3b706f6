import type { ExportColumn } from '../../../store/export/exportedTables.ts'
import type { ExportedRow } from '../../../store/export/exportRows.ts'

/** A table as the bytes of a file, in pieces of some thousand rows. */
export type TableBytes = (
  columns: readonly ExportColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
) => AsyncGenerator<Uint8Array>

/** Comma-separated, with a line of names: RFC 4180 with line feeds, UTF-8. What is not known is empty, a text without a character `""`. */
export const csvBytes: TableBytes = async function* (columns, batches) {
  // With the first rows: until then it may turn out that nothing can be read.
  let names = lineOf(columns.map(({ name }) => name))
  for await (const batch of batches) {
    yield Buffer.from(names + batch.map(lineOf).join(''))
    names = ''
  }
  if (names !== '') yield Buffer.from(names)
}

function lineOf(row: ExportedRow): string {
  return `${row.map(cellOf).join(',')}\n`
}

function cellOf(value: ExportedRow[number]): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
