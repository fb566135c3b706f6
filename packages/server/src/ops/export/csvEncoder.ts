import type { ExportColumn } from '../../store/export/exportedTables.ts'
import type { ExportedRow } from '../../store/export/exportRows.ts'

/** Encodes a table as the bytes of a file, in pieces of a few thousand rows. */
export type TableEncoder = (
  columns: readonly ExportColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
) => AsyncGenerator<Uint8Array>

// Matches text that a spreadsheet would run as a formula. A signed number is not a formula.
const formula = /^(?!-?\d+(\.\d+)?$)[=+\-@\t\r\n]/

/**
 * Encodes CSV: RFC 4180 with line feeds, UTF-8, column names in the first line. Null is an empty
 * cell, empty text is `""`.
 * Token names are untrusted input: unless `isRaw`, text that a spreadsheet would run gets a leading
 * single quote.
 */
export function createCsvEncoder({ isRaw }: { isRaw: boolean }): TableEncoder {
  function cellOf(value: ExportedRow[number]): string {
    if (value === null) return ''
    if (typeof value !== 'string') return String(value)
    const text = !isRaw && formula.test(value) ? `'${value}` : value
    return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

  const lineOf = (row: ExportedRow) => `${row.map(cellOf).join(',')}\n`

  return async function* csvBytes(columns, batches) {
    // Send the column names with the first rows, so that a failing first read leaves no output.
    let names = lineOf(columns.map(({ name }) => name))
    for await (const batch of batches) {
      yield Buffer.from(names + batch.map(lineOf).join(''))
      names = ''
    }
    if (names !== '') yield Buffer.from(names)
  }
}
