import type { Pool } from 'pg'
import { type PairRecord, pairCodec } from '../model/pair.ts'
import type { PoolKind } from '../model/pool.ts'
import type { Field, RecordCodec } from '../model/recordType.ts'
import { supplyCodec, type TokenRecord, type TokenSupply, tokenCodec } from '../model/token.ts'
import type { IgnoredContract } from '../model/trust/ignoredContracts.ts'

/** Returns the stored ones, in no order. */
export async function findTokens(
  pool: Pool,
  chainId: number,
  addresses: readonly string[],
): Promise<TokenRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'find-tokens',
    text: `SELECT ${tokenRows.selected} FROM tokens WHERE chain = $1 AND address = ANY($2::text[])`,
    values: [chainId, addresses],
  })
  return rows.map((row) => tokenRows.recordOf(row))
}

/** Returns the stored ones, in no order. */
export async function findPairs(
  pool: Pool,
  chainId: number,
  addresses: readonly string[],
): Promise<PairRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'find-pairs',
    text: `SELECT ${pairRows.selected} FROM pairs WHERE chain = $1 AND address = ANY($2::text[])`,
    values: [chainId, addresses],
  })
  return rows.map((row) => pairRows.recordOf(row))
}

/** Pairs that are couples of tokens of these pools, in no order. */
export async function findPairsOfPools(
  pool: Pool,
  chainId: number,
  pools: readonly string[],
): Promise<PairRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'find-couples',
    text: `SELECT ${pairRows.selected} FROM pairs WHERE chain = $1 AND pool = ANY($2::text[])`,
    values: [chainId, pools],
  })
  return rows.map((row) => pairRows.recordOf(row))
}

export type PairListQuery = { kind: PoolKind; afterId: number; limit: number }

/** Pairs of one kind by id, starting after `afterId`. */
export async function listPairs(
  pool: Pool,
  chainId: number,
  { kind, afterId, limit }: PairListQuery,
): Promise<{ id: number; address: string }[]> {
  const { rows } = await pool.query<{ id: number; address: string }>({
    name: 'list-pairs',
    text: `SELECT id, coalesce(pool, address) AS address FROM pairs WHERE chain = $1 AND kind = $2 AND id > $3
           ORDER BY id LIMIT $4`,
    values: [chainId, kind, afterId, limit],
  })
  return rows
}

export async function loadTokens(
  pool: Pool,
  chainId: number,
  tokenIds: readonly number[],
): Promise<TokenRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'load-tokens',
    text: `SELECT ${tokenRows.selected} FROM tokens WHERE chain = $1 AND id = ANY($2::int[]) ORDER BY id`,
    values: [chainId, tokenIds],
  })
  return rows.map((row) => tokenRows.recordOf(row))
}

/** Returns the stored ones, by token id. */
export async function loadSupplies(
  pool: Pool,
  chainId: number,
  tokenIds: readonly number[],
): Promise<TokenSupply[]> {
  const { rows } = await pool.query<object>({
    name: 'load-supplies',
    text: `SELECT ${supplyRows.selected} FROM supplies WHERE chain = $1 AND id = ANY($2::int[]) ORDER BY id`,
    values: [chainId, tokenIds],
  })
  return rows.map((row) => supplyRows.recordOf(row))
}

type LeftOutRow = { address: string } & IgnoredContract['since']

/** Contracts whose events are ignored until they answer like pools. */
export async function loadIgnoredContracts(
  pool: Pool,
  chainId: number,
): Promise<IgnoredContract[]> {
  const { rows } = await pool.query<LeftOutRow>(
    `SELECT address, first_number AS number, first_hash AS hash, first_parent_number AS "parentNumber",
       first_parent_hash AS "parentHash"
     FROM left_out WHERE chain = $1 AND state = 'open' ORDER BY first_number, address`,
    [chainId],
  )
  return rows.map(({ address, ...since }) => ({ address, since }))
}

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
  readonly #type: RecordCodec<record, key>

  constructor(type: RecordCodec<record, key>) {
    this.#type = type
    this.columns = type.names.map(columnOf)
    const named = type.names.map((name) => `${columnOf(name)} AS "${name}"`)
    this.selected = [`id AS "${type.key}"`, ...named].join(', ')
  }

  rowOf(chain: number, record: record): Row {
    const { key, names, fields } = this.#type
    const row: Row = { chain, id: record[key] as number }
    names.forEach((name, place) => {
      row[this.columns[place]!] = conversionOf(fields[place]!).write(record[name] as never)
    })
    return row
  }

  recordOf(row: object): record {
    const record = { ...row } as Record<string, never>
    this.#type.names.forEach((name, place) => {
      record[name] = conversionOf(this.#type.fields[place]!).read(record[name]!) as never
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
