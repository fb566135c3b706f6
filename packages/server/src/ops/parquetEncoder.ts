import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { ExportColumn } from '../store/export/exportedTables.ts'
import type { ExportedRow } from '../store/export/exportRows.ts'

/** Encodes a table as the bytes of a file, in pieces of a few thousand rows. */
export type TableEncoder = (
  columns: readonly ExportColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
) => AsyncGenerator<Uint8Array>

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const satisfies Record<ExportColumn['type'], Partial<SchemaElement>>

/** Encodes Apache Parquet with Snappy compression, one row group per batch. */
export const encodeParquet: TableEncoder = async function* (columns, batches) {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns) })
  for await (const batch of batches) {
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      data: batch.map((row) => cellOf(row[at] ?? null, type)),
      offsetIndex: false,
    }))
    await writer.write({ columnData, rowGroupSize: batch.length })
    yield takeWritten(bytes)
  }
  await writer.finish()
  yield takeWritten(bytes)
}

/** Returns the bytes written since the last call. File offsets continue to count. */
function takeWritten(bytes: ByteWriter): Uint8Array {
  const written = bytes.getBytes().slice()
  bytes.index = 0
  return written
}

function schemaOf(columns: readonly ExportColumn[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }) => ({
      name,
      repetition_type: 'OPTIONAL' as const,
      ...types[type],
    })),
  ]
}

function cellOf(value: ExportedRow[number], type: ExportColumn['type']) {
  return type === 'integer' && value !== null ? BigInt(value) : value
}
