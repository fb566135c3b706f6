import { pairCodec } from '../model/pair.ts'
import type { Field, RecordCodec } from '../model/recordType.ts'
import { supplyCodec, tokenCodec } from '../model/token.ts'

export type Row = Record<string, string | number | boolean | null>

type Conversion = {
  write(value: never): string | number | boolean | null
  read(value: never): unknown
}

const asItIs: Conversion = { write: (value) => value, read: (value) => value }
const text: Conversion = { ...asItIs, write: (value: string | null) => value && cleanText(value) }
const listOf = (read: (text: string) => unknown): Conversion => ({
  write: (values: readonly unknown[]) => values.join(' ') || null,
  read: (texts: string | null) => texts?.split(' ').map(read) ?? [],
})

/** Values that the driver reads and writes in another form, by field type. */
const conversions: Readonly<Record<string, Conversion>> = {
  amount: { write: (value: bigint) => `${value}`, read: (value: string) => BigInt(value) },
  amounts: listOf(BigInt),
  wholes: listOf(Number),
  text,
  textOrNull: text,
  word: text,
  wordOrNull: text,
}

/**
 * Rows of described records: a column for each field, under its name in snake case, and `id` for
 * the key.
 */
class RecordRows<record extends object, key extends keyof record & string> {
  /** The columns of all fields but the key. */
  readonly columns: readonly string[]
  /** The columns as a query names them for `recordOf`. */
  readonly selected: string
  private readonly type: RecordCodec<record, key>

  constructor(type: RecordCodec<record, key>) {
    this.type = type
    this.columns = type.names.map(columnOf)
    const named = type.names.map((name) => `${columnOf(name)} AS "${name}"`)
    this.selected = [`id AS "${type.key}"`, ...named].join(', ')
  }

  rowOf(chain: number, record: record): Row {
    const { key, names, fields } = this.type
    const row: Row = { chain, id: record[key] as number }
    names.forEach((name, place) => {
      row[this.columns[place]!] = conversionOf(fields[place]!).write(record[name] as never)
    })
    return row
  }

  recordOf(row: object): record {
    const record = { ...row } as Record<string, never>
    this.type.names.forEach((name, place) => {
      record[name] = conversionOf(this.type.fields[place]!).read(record[name]!) as never
    })
    return record as record
  }
}

export const tokenRows = new RecordRows(tokenCodec)
export const pairRows = new RecordRows(pairCodec)
export const supplyRows = new RecordRows(supplyCodec)

function conversionOf({ type }: Field): Conversion {
  return conversions[type] ?? asItIs
}

function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** PostgreSQL's text holds neither zero bytes nor halves of a surrogate pair. */
function cleanText(value: string): string {
  return value.replace(/[\0\p{Surrogate}]/gu, '\uFFFD')
}
