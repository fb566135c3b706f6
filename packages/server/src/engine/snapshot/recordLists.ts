import { ByteReader } from '../../lib/bytes/byteReader.ts'
import { ByteWriter } from '../../lib/bytes/byteWriter.ts'
import type { StringTable } from '../../lib/bytes/stringTable.ts'
import { fieldCodecs, type RecordCodec } from '../../model/recordType.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import { type PackedRecords, recordLengthBytes } from '../records/packedRecords.ts'
import { ByteRunReader } from '../tables/byteParts.ts'
import type { SnapshotList, WrittenList } from './snapshotEncoding.ts'

/** Field type of a record's key if the key is stored as a field. */
const keyFieldType = 'whole'

/** List of records as memory stores them, ordered by id, without their keys. */
export function writePackedList<record extends object, key extends keyof record & string>(
  type: RecordCodec<record, key>,
  packed: PackedRecords,
): WrittenList {
  const runs = { length: packed.runsBytes, [Symbol.iterator]: () => packed.runs() }
  return { count: packed.count, fields: typesOf(type), words: packed.words.texts, runs }
}

/** List of records that each start with their key. */
export function writeKeyedList<record extends object, key extends keyof record & string>(
  type: RecordCodec<record, key>,
  records: readonly record[],
): WrittenList {
  const writer = new ByteWriter()
  const list = new ByteWriter()
  for (const record of records) {
    writer.start().whole(record[type.key] as number)
    type.write(writer, record)
    list.u16(writer.length)
    list.raw(writer.written())
  }
  const fields = new Map([[type.key as string, keyFieldType], ...typesOf(type)])
  const bytes = list.written()
  const runs = { length: bytes.length, [Symbol.iterator]: () => [bytes].values() }
  return { count: records.length, fields, words: [], runs }
}

/** Reads a list of records that each start with their key. */
export function* readKeyedRecords<record extends object, key extends keyof record & string>(
  list: SnapshotList,
  type: RecordCodec<record, key>,
): Generator<record> {
  const read = readByName(list, type)
  for (const bytes of recordBytes(list)) yield read(bytes, 0)
}

/**
 * Returns a function that decodes records by field names: missing fields get their fallback,
 * unknown ones are skipped.
 */
function readByName<record extends object, key extends keyof record & string>(
  list: SnapshotList,
  type: RecordCodec<record, key>,
): (bytes: Uint8Array, place: number) => record {
  const words = { at: (place: number) => list.words[place - 1] }
  const reader = new ByteReader({
    words,
    corrupt: (reason) => new SnapshotUnreadableError(`A record cannot be read: ${reason}.`),
  })
  const known = new Map([[type.key as string, keyFieldType], ...typesOf(type)])
  const fields = [...list.fields].map(([name, written]) => {
    const fieldType = fieldCodecs.get(written)
    const isKnown = known.has(name)
    if (fieldType === undefined)
      throw new SnapshotUnreadableError(`Field "${name}" has the unknown type "${written}".`)
    if (isKnown && known.get(name) !== written)
      throw new SnapshotUnreadableError(
        `Field "${name}" has type ${written}, not ${known.get(name)}.`,
      )
    return { name, isKnown, fieldType }
  })
  return (bytes: Uint8Array, place: number) => {
    const record: Record<string, unknown> = type.fallback(place as record[key])
    reader.open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    for (const { name, isKnown, fieldType } of fields) {
      const value = fieldType.read(reader)
      if (isKnown) record[name] = value
    }
    return record as record
  }
}

/**
 * Yields each record as this version packs it, empty for an id without a record; each is valid
 * until the next. Adds the shared texts of the records to `words`, which must be empty.
 */
export function* readPackedRecords<record extends object, key extends keyof record & string>(
  list: SnapshotList,
  type: RecordCodec<record, key>,
  words: StringTable,
): Generator<Uint8Array> {
  if (isSame([...list.fields].flat(), [...typesOf(type)].flat())) {
    words.add(list.words)
    yield* recordBytes(list)
    return
  }
  const read = readByName(list, type)
  const writer = new ByteWriter({ words })
  let place = 0
  for (const bytes of recordBytes(list)) {
    writer.start()
    if (bytes.length > 0) type.write(writer, read(bytes, place))
    yield writer.written()
    place += 1
  }
}

function* recordBytes({ count, runs }: SnapshotList): Generator<Uint8Array> {
  const bytes = new ByteRunReader(runs)
  for (let left = count; left > 0; left -= 1) {
    const [low, high] = bytes.take(recordLengthBytes)
    yield bytes.take(low! + high! * 0x100)
  }
}

function typesOf<record extends object, key extends keyof record & string>(
  type: RecordCodec<record, key>,
): ReadonlyMap<string, string> {
  return new Map(type.names.map((name, place) => [name, type.fields[place]!.type]))
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}
