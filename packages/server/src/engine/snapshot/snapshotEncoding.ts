import { ByteReader } from '../../lib/bytes/byteReader.ts'
import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import { SnapshotTooNewError, SnapshotUnreadableError } from '../errors.ts'
import {
  type ByteRange,
  PartReader,
  type SnapshotBytes,
  withLengthPrefix,
} from '../tables/byteParts.ts'

/** Describes a list of records in a snapshot; a reader skips fields that it does not know. */
type ListHead = {
  /** Number of ids, including ids without a record. */
  count: number
  /** Type of each field by name, in the order in which a record stores them. */
  fields: ReadonlyMap<string, string>
  /** Texts that records refer to by position. */
  words: readonly string[]
}

/** A list of records; each follows its length, which is 0 for an id without a record. */
export type SnapshotList = ListHead & { runs: ByteRange }

/** Rows of little-endian doubles in one or more runs. */
export type SnapshotRows = { columns: readonly string[]; runs: ByteRange }

/** Rows of a table. Row 0 is the header, whose columns have their own names. */
export type SnapshotTable = SnapshotRows & { header: readonly string[]; count: number }

/** Rows of a log, only those from `head` to `tail`. */
export type SnapshotLog = SnapshotRows & { head: number; tail: number }

/**
 * A decoded snapshot with all data by name, before it is converted to the current format. Rows are
 * views of the snapshot's bytes.
 */
export type DecodedSnapshot = {
  format: number
  texts: Map<string, string>
  numbers: Map<string, number>
  /** Units and codes of numbers in rows, by name. */
  units: Map<string, number>
  lists: Map<string, SnapshotList>
  tables: Map<string, SnapshotTable>
  logs: Map<string, SnapshotLog>
}

/** Bytes that are created on demand, with their total length. */
type WrittenRuns = Iterable<Uint8Array> & { readonly length: number }

export type WrittenList = ListHead & { runs: WrittenRuns }
type Written<rows extends SnapshotRows> = Omit<rows, 'runs'> & { runs: Iterable<Uint8Array> }
type WrittenRows = Written<SnapshotRows>
export type WrittenTable = Written<SnapshotTable>
export type WrittenLog = Written<SnapshotLog>

/**
 * A snapshot to be written. Its bytes are created on demand: all at once would be as large as the
 * market.
 */
export type SnapshotToWrite = {
  format: number
  texts: ReadonlyMap<string, string>
  numbers: ReadonlyMap<string, number>
  units: ReadonlyMap<string, number>
  lists: ReadonlyMap<string, WrittenList>
  tables: ReadonlyMap<string, WrittenTable>
  logs: ReadonlyMap<string, WrittenLog>
}

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
export function* encodeSnapshot(form: SnapshotToWrite): Generator<Uint8Array, void, undefined> {
  const writer = new ByteWriter()
  writer.u32(magic)
  writer.u32(form.format)
  yield Uint8Array.from(writer.written())
  writer.start()
  writeMap(writer, form.texts, (text) => writer.text(text))
  writeMap(writer, form.numbers, (value) => writer.float(value))
  writeMap(writer, form.units, (value) => writer.float(value))
  for (const { size } of [form.lists, form.tables, form.logs]) writer.whole(size)
  yield withLengthPrefix(writer.written())
  for (const [name, { count, fields, words, runs }] of form.lists) {
    writer.start().text(name)
    writer.whole(count)
    writeMap(writer, fields, (type) => writer.text(type))
    writeNames(writer, words)
    yield withLengthPrefix(writer.written(), runs.length)
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
export function decodeSnapshot(bytes: SnapshotBytes, formatMax: number): DecodedSnapshot {
  const parts = new PartReader(bytes)
  const start = parts.take(startBytes).joined()
  if (start.readUInt32LE() !== magic)
    throw new SnapshotUnreadableError('The file does not start like a snapshot.')
  const format = start.readUInt32LE(4)
  if (format > formatMax) throw new SnapshotTooNewError({ found: format, known: formatMax })
  const reader = new ByteReader({ corrupt: (reason) => new SnapshotUnreadableError(`${reason}.`) })
  reader.open(parts.takeFramed().joined())
  const facts = {
    texts: readMap(reader, () => reader.text()),
    numbers: readMap(reader, () => reader.float()),
    units: readMap(reader, () => reader.float()),
  }
  const counts = { lists: reader.whole(), tables: reader.whole(), logs: reader.whole() }
  /** Reads a number of parts of the snapshot (lists, tables or logs), each after its name. */
  const named = <value>(count: number, read: () => value) => {
    const all = new Map<string, value>()
    for (let left = count; left > 0; left -= 1) {
      reader.open(parts.takeFramed().joined())
      all.set(reader.text(), read())
    }
    return all
  }
  const form: DecodedSnapshot = {
    format,
    ...facts,
    lists: named(counts.lists, () => ({
      count: reader.whole(),
      fields: readMap(reader, () => reader.text()),
      words: readNames(reader),
      runs: parts.takeFramed(),
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
  if (!parts.isAtEnd) throw new SnapshotUnreadableError('Bytes follow the end of the snapshot.')
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
  yield withLengthPrefix(writer.written(), count * columns.length * doubleBytes)
  yield* runs
}

function readRows(reader: ByteReader, parts: PartReader, count: number): SnapshotRows {
  const type = reader.text()
  if (type !== rowType) throw new SnapshotUnreadableError(`Rows have the unknown type "${type}".`)
  const columns = readNames(reader)
  const runs = parts.takeFramed()
  if (runs.length !== count * columns.length * doubleBytes)
    throw new SnapshotUnreadableError(
      'The number of rows differs from the head of their table or log.',
    )
  return { columns, runs }
}
