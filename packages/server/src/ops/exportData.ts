import { openDatabase, requireDatabase } from '../app/openDatabase.ts'
import type { Config } from '../config/schema/schema.ts'
import type { Logger } from '../lib/logger.ts'
import { exportedTableOf } from '../store/export/exportedTables.ts'
import {
  type ExportedRow,
  ExportFileError,
  type ExportQuery,
  ExportStoppedError,
  exportRows,
} from '../store/export/exportRows.ts'
import { type AtomicFileOptions, writeFileAtomically } from '../store/writeFileAtomically.ts'
import type { TableEncoder } from './parquetEncoder.ts'

export type ExportFormat = 'csv' | 'parquet'

export type ExportOptions = {
  query: ExportQuery
  format: ExportFormat
  /** Leaves CSV text unescaped, including formulas. @default false */
  isRaw?: boolean | undefined
  /** Path of the file to write; undefined: the content goes to `write` in pieces. */
  file: string | undefined
  write(bytes: Uint8Array): Promise<void>
  logger: Logger
  signal: AbortSignal
}

export type ExportedData = { rows: number; bytes: number }

const faults: AtomicFileOptions['faults'] = {
  exists: (path) => new ExportFileError({ path }),
  failed: (path, cause) => new ExportFileError({ path, cause }),
  stopped: () => new ExportStoppedError(),
}

/** Exports stored rows. Works with and without a running service. */
export async function exportData(config: Config, options: ExportOptions): Promise<ExportedData> {
  const { query, file, logger, signal } = options
  requireDatabase(config)
  const encode = await encoderOf(options)
  const database = await openDatabase(config, { logger })
  let rows = 0
  async function* counted() {
    for await (const batch of exportRows(database.connection, query, signal)) {
      rows += batch.length
      yield batch
    }
  }
  try {
    const content = encode(exportedTableOf(query.what, query.interval).columns, counted())
    if (file !== undefined) {
      const { sizeBytes: bytes } = await writeFileAtomically(file, content, { signal, faults })
      return { rows, bytes }
    }
    let bytes = 0
    for await (const piece of content) {
      if (signal.aborted) throw new ExportStoppedError()
      await options.write(piece)
      bytes += piece.byteLength
    }
    return { rows, bytes }
  } finally {
    await database.stop()
  }
}

/** Loads the Parquet library only for Parquet. */
async function encoderOf({ format, isRaw = false }: ExportOptions): Promise<TableEncoder> {
  return format === 'csv'
    ? createCsvEncoder({ isRaw })
    : (await import('./parquetEncoder.ts')).encodeParquet
}

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
