import type { Client } from 'pg'
import { AppError } from '../../lib/errors.ts'
import {
  checkServer,
  clientConfigOf,
  closeDuringCopy,
  describeConnection,
  type StoreConnection,
} from '../connection.ts'
import { databaseFault, SchemaOldError, SchemaTooNewError } from '../errors.ts'
import { migrations, readVersion } from '../schema.ts'
import { StoreClient } from '../storeClient.ts'
import { type ExportedName, exportedTableOf } from './exportedTables.ts'

/** Selects the exported rows. */
export type ExportQuery = {
  what: ExportedName
  /** Name of the chain. @default the only stored one */
  chain: string | undefined
  /** Address of a pair. @default all pairs */
  pair: string | undefined
  /** First second, inclusive. */
  fromS: number
  /** Last second, inclusive. */
  toS: number
  /** For klines: index into `klineIntervalsS`. */
  interval: number
}

export type ExportedRow = readonly (string | number | boolean | null)[]

// Rows in memory at a time.
const batchRows = 10_000

/**
 * Yields all rows of a query at one moment, oldest first, in batches, in a read-only transaction.
 */
export async function* exportRows(
  connection: StoreConnection,
  query: ExportQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly ExportedRow[]> {
  const client = new StoreClient(clientConfigOf(connection, 'chaintape export'))
  client.on('error', () => undefined)
  // Also ends a statement that waits for a lock.
  const close = () => void closeDuringCopy(client)
  signal.addEventListener('abort', close, { once: true })
  try {
    await client.connect()
    await checkServer(client)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await assertSchema(client)
    const chainId = await findChain(client, query.chain)
    const pairId = query.pair === undefined ? null : await findPair(client, chainId, query.pair)
    const { sql, values } = selectOf(query, chainId, pairId)
    await client.query(`DECLARE exported NO SCROLL CURSOR FOR ${sql}`, values)
    for (;;) {
      const { rows } = await client.query<(string | number | boolean | null)[]>({
        text: `FETCH ${batchRows} FROM exported`,
        rowMode: 'array',
      })
      if (rows.length === 0) return
      yield rows
    }
  } catch (error) {
    throw databaseFault(error, describeConnection(connection))
  } finally {
    signal.removeEventListener('abort', close)
    await closeDuringCopy(client)
  }
}

async function assertSchema(client: Client): Promise<void> {
  const [found, known] = [await readVersion(client), migrations.length]
  if (found < known) throw new SchemaOldError({ found, known })
  if (found > known) throw new SchemaTooNewError({ found, known })
}

/**
 * A chain that can restart has its genesis behind its name. A backfilled chain has another suffix
 * and is not served yet.
 */
async function findChain(client: Client, chain: string | undefined): Promise<number> {
  const { rows } = await client.query<{ id: number; name: string }>(
    `SELECT id, split_part(name, '@', 1) AS name FROM chains
      WHERE name NOT LIKE '%+%' ORDER BY id DESC`,
  )
  const names = [...new Set(rows.map(({ name }) => name))].toSorted()
  const stored = `Stored: ${names.join(', ') || 'none'}`
  if (chain === undefined && names.length > 1)
    throw new ExportInputError('Of several stored chains one is named with --chain.', stored)
  const wanted = chain ?? names[0]
  const found = rows.find(({ name }) => name === wanted)
  if (found !== undefined) return found.id
  throw new ExportInputError(
    wanted === undefined ? 'No chain is stored.' : `No chain "${wanted}" is stored.`,
    stored,
  )
}

async function findPair(client: Client, chainId: number, address: string): Promise<number> {
  // Canonical form: lower case for hex, unchanged otherwise.
  const written = /^0x/i.test(address) ? address.toLowerCase() : address
  const { rows } = await client.query<{ id: number }>(
    'SELECT id FROM pairs WHERE chain = $1 AND address = $2',
    [chainId, written],
  )
  if (rows[0] !== undefined) return rows[0].id
  throw new ExportInputError(
    `The chain has no pair ${address}.`,
    'It is the address alone, as the column `pair` of chaintape export --what pairs has it.',
  )
}

function selectOf(query: ExportQuery, chainId: number, pairId: number | null) {
  const { columns, from, time, order } = exportedTableOf(query.what, query.interval)
  const conditions = ['r.chain = $1']
  const values: unknown[] = [chainId]
  if (time !== null) {
    values.push(query.fromS, query.toS)
    conditions.push(`${time} BETWEEN $2 AND $3`)
  }
  if (pairId !== null) {
    values.push(pairId)
    conditions.push(`r.pair_id = $${values.length}`)
  }
  const names = columns.map(({ name, sql }) => `${sql} AS ${name}`).join(', ')
  const sql = `SELECT ${names} FROM ${from} WHERE ${conditions.join(' AND ')}
    ORDER BY ${pairId === null ? order.all : order.ofPair}`
  return { sql, values }
}

/** The requested rows do not exist, or the request makes no sense. */
export class ExportInputError extends AppError {
  constructor(message: string, ...meta: string[]) {
    super('EXPORT_INPUT', message, { meta })
  }
}

/** Missing folder, permission, disk space, or the file already exists. */
export class ExportFileError extends AppError {
  constructor({ path, cause }: { path: string; cause?: NodeJS.ErrnoException }) {
    const detail = cause?.message ?? 'It is there already, and is left alone.'
    super('EXPORT_FILE', 'The file cannot be written.', {
      cause,
      meta: [`File: ${path}`, `Detail: ${detail}`],
    })
  }
}

export class ExportStoppedError extends AppError {
  constructor() {
    super('EXPORT_STOPPED', 'The export was stopped. No file was written.', { retryable: true })
  }
}
