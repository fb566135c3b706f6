/**
 * Descriptions of stored records. A description is data: it defines the bytes of a record in the
 * log, in the engine's memory and in snapshots, and its database row.
 */
import type { ByteReader } from '../lib/bytes/byteReader.ts'
import type { ByteWriter } from '../lib/bytes/byteWriter.ts'

/** Encoding of one kind of value. */
type FieldCodec<value> = {
  /**
   * Name of the encoding in snapshots. A changed encoding gets a new name, and the old one stays.
   */
  readonly type: string
  write(writer: ByteWriter, value: value): void
  read(reader: ByteReader): value
  /** Skips a value. @default reads and drops the value */
  skip?: ((reader: ByteReader) => void) | undefined
}

export type Field<value = unknown> = FieldCodec<value> & {
  /** Value for records that were written without the field. */
  readonly fallback: value
  /** The first version of log entries with the field. */
  readonly since: number
}

/**
 * One field per property of a record except its key, so that the compiler reports a missing one.
 */
type FieldsOf<record, key extends keyof record> = {
  readonly [name in Exclude<keyof record, key>]: Field<record[name]>
}

/** Field types by their names in snapshots. */
export const fieldCodecs = new Map<string, FieldCodec<unknown>>()

/** Creates a kind of field; the result takes the fallback of a field. */
function kind<value>(
  type: string,
  write: (to: ByteWriter, value: value) => void,
  read: (from: ByteReader) => value,
  skip?: (from: ByteReader) => void,
): (fallback: value) => Field<value> {
  const fieldType: FieldCodec<value> = { type, write, read, skip }
  fieldCodecs.set(type, fieldType as FieldCodec<unknown>)
  return (fallback) => ({ ...fieldType, fallback, since: 1 })
}

const skipText = (from: ByteReader) => from.skipText()

/** An integer from 0 on. */
export const wholeField = kind<number>(
  'whole',
  (to, value) => to.whole(value),
  (from) => from.whole(),
)
export const nullableWholeField = kind<number | null>(
  'wholeOrNull',
  (to, value) => to.wholeOrNull(value),
  (from) => from.wholeOrNull(),
)
export const wholeListField = kind<readonly number[]>(
  'wholes',
  (to, values) => to.list(values, (value) => to.whole(value)),
  (from) => from.list(() => from.whole()),
)
/** An integer of any size. */
export const amountField = kind<bigint>(
  'amount',
  (to, value) => to.amount(value),
  (from) => from.amount(),
)
export const amountListField = kind<readonly bigint[]>(
  'amounts',
  (to, values) => to.list(values, (value) => to.amount(value)),
  (from) => from.list(() => from.amount()),
)
export const flagField = kind<boolean>(
  'flag',
  (to, value) => to.flag(value),
  (from) => from.flag(),
)
export const textField = kind<string>(
  'text',
  (to, value) => to.text(value),
  (from) => from.text(),
  skipText,
)
/** A non-empty text, or null. */
export const nullableTextField = kind<string | null>(
  'textOrNull',
  (to, value) => to.text(value ?? ''),
  (from) => from.text() || null,
  skipText,
)
const anyWord = kind<string>(
  'word',
  (to, value) => to.word(value),
  (from) => from.word(),
)
/** A text that many records share; stored once. */
export const wordField = <value extends string>(fallback: value) =>
  anyWord(fallback) as Field as Field<value>
export const nullableWordField = kind<string | null>(
  'wordOrNull',
  (to, value) => to.wordOrNull(value),
  (from) => from.wordOrNull(),
)

/** A field that log entries contain from this version on. */
export const sinceVersion = <value>(version: number, of: Field<value>): Field<value> => ({
  ...of,
  since: version,
})

/**
 * Encoding of one type of record. The key is the record's dense id; the bytes omit it where a
 * record's position gives it.
 */
export class RecordCodec<record extends object, key extends keyof record & string> {
  readonly key: key
  readonly names: readonly (Exclude<keyof record, key> & string)[]
  readonly fields: readonly Field[]
  /** A record of fallbacks. Copies of it have all properties from the start, in one order. */
  readonly #blank: Record<string, unknown>

  constructor(key: key, fields: FieldsOf<record, key>) {
    this.key = key
    this.names = Object.keys(fields) as (Exclude<keyof record, key> & string)[]
    this.fields = Object.values<Field>(fields)
    const fallbacks = this.names.map((name) => [name, fields[name].fallback])
    this.#blank = Object.fromEntries([[key, undefined], ...fallbacks])
  }

  /** Writes all fields except the key. */
  write(writer: ByteWriter, record: record): void {
    const { names, fields } = this
    for (let place = 0; place < names.length; place++)
      fields[place]!.write(writer, record[names[place]!])
  }

  read(reader: ByteReader, key: record[key]): record {
    const { names, fields } = this
    const record = this.fallback(key)
    for (let place = 0; place < names.length; place++) {
      const field = fields[place]!
      if (field.since <= reader.version) record[names[place]!] = field.read(reader)
    }
    return record as record
  }

  /** Returns a record with this key and the fallbacks. */
  fallback(key: record[key]): Record<string, unknown> {
    const record = { ...this.#blank }
    record[this.key] = key
    return record
  }

  /** Moves the reader from the start of a record to one of its fields. */
  seek(reader: ByteReader, name: Exclude<keyof record, key>): void {
    const { names, fields } = this
    for (let place = 0; names[place] !== name; place++) {
      const field = fields[place]!
      if (field.skip === undefined) field.read(reader)
      else field.skip(reader)
    }
  }

  /** Writes records, each after its key. */
  writeList(writer: ByteWriter, records: readonly record[]): void {
    writer.list(records, (record) => {
      writer.whole(record[this.key] as number)
      this.write(writer, record)
    })
  }

  readList(reader: ByteReader): record[] {
    return reader.list(() => this.read(reader, reader.whole() as record[key]))
  }
}
