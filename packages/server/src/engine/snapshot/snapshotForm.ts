import { ByteReader } from '../../lib/bytes/byteReader.ts'
import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import { SnapshotTooNewError, SnapshotUnreadableError } from '../errors.ts'
import { framed, PartReader, type SnapshotBytes } from '../tables/bytes.ts'
import type { FormRows, SnapshotForm, WrittenForm, WrittenRows } from './formTypes.ts'

// The bytes 'CTSF'. Never changes: everything after it depends on the format number.
const magic = 0x46535443
/** Length of magic and format number. */
const startBytes = 8
/** Type of the values in rows, so far the only one. */
const rowType = 'f64'
const doubleBytes = 8

/**
 * Encodes a snapshot: magic and format, a head with all small data, then each list, table and log
 * as a head that describes it and its records or rows. Some of the yielded parts are the given runs
 * of rows themselves.
 */
export function* encodeForm(form: WrittenForm): Generator<Uint8Array, void, undefined> {
  const writer = new ByteWriter()
  writer.u32(magic)
  writer.u32(form.format)
  yield Uint8Array.from(writer.written())
  writer.start()
  writeMap(writer, form.texts, (text) => writer.text(text))
  writeMap(writer, form.numbers, (value) => writer.float(value))
  writeMap(writer, form.units, (value) => writer.float(value))
  for (const { size } of [form.lists, form.tables, form.logs]) writer.whole(size)
  yield framed(writer.written())
  for (const [name, { count, fields, words, runs }] of form.lists) {
    writer.start().text(name)
    writer.whole(count)
    writeMap(writer, fields, (type) => writer.text(type))
    writeNames(writer, words)
    yield framed(writer.written(), runs.length)
    yield* runs
  }
  for (const [name, table] of form.tables) {
    writer.start().text(name)
    writer.whole(table.count)
    writeNames(writer, table.header)
    yield* writeRows(writer, table, table.count)
  }
  for (const [name, log] of form.logs) {
    writer.start().text(name)
    writer.whole(log.head)
    writer.whole(log.tail)
    yield* writeRows(writer, log, log.tail - log.head)
  }
}

/** Decodes a snapshot of any format up to `formatMax`, without converting it. */
export function decodeForm(bytes: SnapshotBytes, formatMax: number): SnapshotForm {
  const parts = new PartReader(bytes)
  const start = parts.take(startBytes).joined()
  if (start.readUInt32LE() !== magic)
    throw new SnapshotUnreadableError('It does not begin like a snapshot.')
  const format = start.readUInt32LE(4)
  if (format > formatMax) throw new SnapshotTooNewError({ found: format, known: formatMax })
  const reader = new ByteReader({ corrupt: (reason) => new SnapshotUnreadableError(`${reason}.`) })
  reader.open(parts.frame().joined())
  const facts = {
    texts: readMap(reader, () => reader.text()),
    numbers: readMap(reader, () => reader.float()),
    units: readMap(reader, () => reader.float()),
  }
  const counts = { lists: reader.whole(), tables: reader.whole(), logs: reader.whole() }
  /** Reads lists, tables or logs by name, each after its head. */
  const named = <value>(count: number, read: () => value) => {
    const all = new Map<string, value>()
    for (let left = count; left > 0; left -= 1) {
      reader.open(parts.frame().joined())
      all.set(reader.text(), read())
    }
    return all
  }
  const form: SnapshotForm = {
    format,
    ...facts,
    lists: named(counts.lists, () => ({
      count: reader.whole(),
      fields: readMap(reader, () => reader.text()),
      words: readNames(reader),
      runs: parts.frame(),
    })),
    tables: named(counts.tables, () => {
      const count = reader.whole()
      return { count, header: readNames(reader), ...readRows(reader, parts, count) }
    }),
    logs: named(counts.logs, () => {
      const [head, tail] = [reader.whole(), reader.whole()]
      return { head, tail, ...readRows(reader, parts, tail - head) }
    }),
  }
  if (!parts.isAtEnd) throw new SnapshotUnreadableError('It goes on after its end.')
  return form
}

function writeMap<value>(
  writer: ByteWriter,
  map: ReadonlyMap<string, value>,
  write: (value: value) => void,
): void {
  writer.list([...map], ([name, value]) => {
    writer.text(name)
    write(value)
  })
}

function readMap<value>(reader: ByteReader, read: () => value): Map<string, value> {
  return new Map(reader.list(() => [reader.text(), read()] as const))
}

function writeNames(writer: ByteWriter, names: readonly string[]): void {
  writer.list(names, (name) => writer.text(name))
}

function readNames(reader: ByteReader): string[] {
  return reader.list(() => reader.text())
}

function* writeRows(
  writer: ByteWriter,
  { columns, runs }: WrittenRows,
  count: number,
): Generator<Uint8Array, void, undefined> {
  writer.text(rowType)
  writeNames(writer, columns)
  yield framed(writer.written(), count * columns.length * doubleBytes)
  yield* runs
}

function readRows(reader: ByteReader, parts: PartReader, count: number): FormRows {
  const type = reader.text()
  if (type !== rowType) throw new SnapshotUnreadableError(`It has rows of "${type}".`)
  const columns = readNames(reader)
  const runs = parts.frame()
  if (runs.length !== count * columns.length * doubleBytes)
    throw new SnapshotUnreadableError('It has more or less rows than it says.')
  return { columns, runs }
}
