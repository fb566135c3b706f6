import type { ExportColumn } from '../../../store/export/exportedTables.ts'
import type { ExportedRow } from '../../../store/export/exportRows.ts'

/** A table as the bytes of a file, in pieces of some thousand rows. */
export type TableBytes = (
  columns: readonly ExportColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
) => AsyncGenerator<Uint8Array>

// A spreadsheet takes such a text for a formula, but not a number with a sign.
const formula = /^(?!-?\d+(\.\d+)?$)[=+\-@\t\r\n]/

/**
 * Comma-separated values: RFC 4180 with line feeds, UTF-8, names in the first line. Null is an empty cell, an empty text `""`.
 * Token names are written by strangers: unless `isRaw`, texts that a spreadsheet would run get a single quote in front.
 */
export function createCsvBytes({ isRaw }: { isRaw: boolean }): TableBytes {
  function cellOf(value: ExportedRow[number]): string {
    if (value === null) return ''
    if (typeof value !== 'string') return String(value)
    const text = !isRaw && formula.test(value) ? `'${value}` : value
    return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

  const lineOf = (row: ExportedRow) => `${row.map(cellOf).join(',')}\n`

  return async function* csvBytes(columns, batches) {
    // With the first rows: until then it may turn out that nothing can be read.
    let names = lineOf(columns.map(({ name }) => name))
    for await (const batch of batches) {
      yield Buffer.from(names + batch.map(lineOf).join(''))
      names = ''
    }
    if (names !== '') yield Buffer.from(names)
  }
}
