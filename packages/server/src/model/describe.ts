/**
 * The words that records are described with. A description is data: the bytes of a record in the log, in the engine's memory
 * and in snapshots, and its row in the database all follow from it.
 */
import type { ByteReader } from '../lib/bytes/byteReader.ts'
import type { ByteWriter } from '../lib/bytes/byteWriter.ts'

/** How values of one kind become bytes. */
export type FieldType<value> = {
  /** Its name in snapshots. A kind that is written in another way takes another name, and the old one stays. */
  readonly type: string
  write(writer: ByteWriter, value: value): void
  read(reader: ByteReader): value
  /** Passes over a value. @default reads it */
  skip?: ((reader: ByteReader) => void) | undefined
}

export type Field<value = unknown> = FieldType<value> & {
  /** Value for records that were written without the field. */
  readonly fallback: value
  /** The first version of log entries with the field. */
  readonly since: number
}

/** A field for each property of a record but its key: the compiler asks for one that is new. */
type FieldsOf<record, key extends keyof record> = {
  readonly [name in Exclude<keyof record, key>]: Field<record[name]>
}

/** Field types by their names in snapshots. */
export const fieldTypes = new Map<string, FieldType<unknown>>()

/** Returns what makes fields of a new kind from their fallbacks. */
function kind<value>(
  type: string,
  write: (to: ByteWriter, value: value) => void,
  read: (from: ByteReader) => value,
  skip?: (from: ByteReader) => void,
): (fallback: value) => Field<value> {
  const fieldType: FieldType<value> = { type, write, read, skip }
  fieldTypes.set(type, fieldType as FieldType<unknown>)
  return (fallback) => ({ ...fieldType, fallback, since: 1 })
}

const skipText = (from: ByteReader) => from.skipText()

/** A whole number from 0 on. */
export const whole = kind<number>(
  'whole',
  (to, value) => to.whole(value),
  (from) => from.whole(),
)
export const wholeOrNull = kind<number | null>(
  'wholeOrNull',
  (to, value) => to.wholeOrNull(value),
  (from) => from.wholeOrNull(),
)
export const wholes = kind<readonly number[]>(
  'wholes',
  (to, values) => to.list(values, (value) => to.whole(value)),
  (from) => from.list(() => from.whole()),
)
/** A whole number of any size. */
export const amount = kind<bigint>(
  'amount',
  (to, value) => to.amount(value),
  (from) => from.amount(),
)
export const amounts = kind<readonly bigint[]>(
  'amounts',
  (to, values) => to.list(values, (value) => to.amount(value)),
  (from) => from.list(() => from.amount()),
)
export const flag = kind<boolean>(
  'flag',
  (to, value) => to.flag(value),
  (from) => from.flag(),
)
export const text = kind<string>(
  'text',
  (to, value) => to.text(value),
  (from) => from.text(),
  skipText,
)
/** Never empty. */
export const textOrNull = kind<string | null>(
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
/** A text that many records have in common. */
export const word = <value extends string>(fallback: value) =>
  anyWord(fallback) as Field as Field<value>
export const wordOrNull = kind<string | null>(
  'wordOrNull',
  (to, value) => to.wordOrNull(value),
  (from) => from.wordOrNull(),
)

/** A field that log entries have from this version on. */
export const since = <value>(version: number, of: Field<value>): Field<value> => ({
  ...of,
  since: version,
})

/**
 * How records of one kind are written and read. The key is the record's dense id: where the place of a record says it,
 * the bytes do not.
 */
export class RecordType<record extends object, key extends keyof record & string> {
  readonly key: key
  readonly names: readonly (Exclude<keyof record, key> & string)[]
  readonly fields: readonly Field[]
  /** The fallbacks. A copy has all properties from the start, in one order. */
  readonly #blank: Record<string, unknown>

  constructor(key: key, fields: FieldsOf<record, key>) {
    this.key = key
    this.names = Object.keys(fields) as (Exclude<keyof record, key> & string)[]
    this.fields = Object.values<Field>(fields)
    const fallbacks = this.names.map((name) => [name, fields[name].fallback])
    this.#blank = Object.fromEntries([[key, undefined], ...fallbacks])
  }

  /** Writes all fields but the key. */
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

  /** Goes from the beginning of a record to one of its fields, which the reader reads next. */
  seek(reader: ByteReader, name: Exclude<keyof record, key>): void {
    const { names, fields } = this
    for (let place = 0; names[place] !== name; place++) {
      const field = fields[place]!
      if (field.skip === undefined) field.read(reader)
      else field.skip(reader)
    }
  }

  /** Records behind their keys. */
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
