import { SnapshotTooNewError, SnapshotUnreadableError } from '../errors.ts'
import { ByteReader, ByteWriter, type SnapshotBytes } from '../tables/bytes.ts'
import type {
  Entries,
  FieldBytes,
  FormRows,
  SnapshotForm,
  WrittenForm,
  WrittenRows,
} from './formTypes.ts'

// 'CTSF', and the same ever after: what follows it says the rest.
const magic = 0x46535443
/** The only type of rows so far. */
const rowType = 'f64'
const doubleBytes = 8

/** In parts, some of which are the runs of rows themselves. */
export function* encodeForm(form: WrittenForm): Generator<Uint8Array, void, undefined> {
  const writer = new ByteWriter()
  writer.u32(magic)
  writer.u32(form.format)
  yield* writeEntries(writer, form.texts, (text) => void writer.text(text))
  yield* writeEntries(writer, form.numbers, (value) => void writer.f64(value))
  yield* writeEntries(writer, form.units, (value) => void writer.f64(value))
  yield* writeEntries(writer, form.lists, ({ count, fields }) => {
    writer.u32(count)
    return writeEntries(writer, fields, ({ type, runs }) => {
      writer.text(type)
      writer.runs(runs)
      return undefined
    })
  })
  yield* writeEntries(writer, form.tables, (table) => {
    writer.u32(table.count)
    writeNames(writer, table.header)
    return writeRows(writer, table, table.count)
  })
  yield* writeEntries(writer, form.logs, (log) => {
    writer.f64(log.head)
    writer.f64(log.tail)
    return writeRows(writer, log, log.tail - log.head)
  })
  yield* writer.finish()
}

/** Of any format up to `formatMax`, as it was written. */
export function decodeForm(parts: SnapshotBytes, formatMax: number): SnapshotForm {
  const reader = new ByteReader(parts)
  if (reader.u32() !== magic)
    throw new SnapshotUnreadableError('It does not begin like a snapshot.')
  const format = reader.u32()
  if (format > formatMax) throw new SnapshotTooNewError({ found: format, known: formatMax })
  const form: SnapshotForm = {
    format,
    texts: readMap(reader, () => reader.text()),
    numbers: readMap(reader, () => reader.f64()),
    units: readMap(reader, () => reader.f64()),
    lists: readMap(reader, () => ({
      count: reader.u32(),
      fields: readMap(reader, (): FieldBytes => ({ type: reader.text(), runs: reader.runs() })),
    })),
    tables: readMap(reader, () => {
      const count = reader.u32()
      const header = readNames(reader)
      return { count, header, ...readRows(reader, count) }
    }),
    logs: readMap(reader, () => {
      const head = reader.f64()
      const tail = reader.f64()
      return { head, tail, ...readRows(reader, tail - head) }
    }),
  }
  if (!reader.isAtEnd) throw new SnapshotUnreadableError('It goes on after its end.')
  return form
}

function* writeEntries<value>(
  writer: ByteWriter,
  entries: Entries<value>,
  write: (value: value) => Iterable<Uint8Array> | undefined,
): Generator<Uint8Array, void, undefined> {
  writer.u32(entries.size)
  for (const [name, value] of entries) {
    writer.text(name)
    const parts = write(value)
    if (parts !== undefined) yield* parts
    yield* writer.taken()
  }
}

function readMap<value>(reader: ByteReader, read: () => value): Map<string, value> {
  const map = new Map<string, value>()
  for (let left = reader.u32(); left > 0; left -= 1) map.set(reader.text(), read())
  return map
}

function writeNames(writer: ByteWriter, names: readonly string[]): void {
  writer.u32(names.length)
  for (const name of names) writer.text(name)
}

function readNames(reader: ByteReader): string[] {
  const names: string[] = []
  for (let left = reader.u32(); left > 0; left -= 1) names.push(reader.text())
  return names
}

function* writeRows(
  writer: ByteWriter,
  { columns, runs }: WrittenRows,
  count: number,
): Generator<Uint8Array, void, undefined> {
  writer.text(rowType)
  writeNames(writer, columns)
  writer.u32(count * columns.length * doubleBytes)
  for (const run of runs) {
    writer.bare(run)
    yield* writer.taken()
  }
}

function readRows(reader: ByteReader, count: number): FormRows {
  const type = reader.text()
  if (type !== rowType) throw new SnapshotUnreadableError(`It has rows of "${type}".`)
  const columns = readNames(reader)
  const runs = reader.runs()
  if (runs.length !== count * columns.length * doubleBytes)
    throw new SnapshotUnreadableError('It has more or less rows than it says.')
  return { columns, runs }
}
