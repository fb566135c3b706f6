import type { Client } from 'pg'
import { tryLock } from './advisoryLock.ts'
import { clientConfigOf, describeConnection, type StoreConnection } from './connection.ts'
import { databaseFault, WriterLockedError } from './errors.ts'
import { StoreClient } from './storeClient.ts'
import { chainPartitionOf, dailyTables } from './write/partitions.ts'

type DropChainLimits = {
  /** Rows deleted by one statement. */
  rowsMax: number
  /** Snapshot chunks deleted by one statement: each is a megabyte. */
  chunksMax: number
  /** Longest time that a drop may block readers before it is retried. */
  lockWaitMs: number
  /** Attempts for one table before it is left to the next run. */
  triesMax: number
}

const defaultDropChainLimits: DropChainLimits = {
  rowsMax: 5_000,
  chunksMax: 32,
  lockWaitMs: 1_000,
  triesMax: 10,
}

export type DropChainOptions = {
  connection: StoreConnection
  chainId: number
  /** Ends it after the current statement; the rest is left to the next run. */
  signal?: AbortSignal | undefined
  limits?: Partial<DropChainLimits> | undefined
}

// Tables from which a chain's rows must be deleted one by one. Its name comes last, so that an
// interrupted run finds it again.
const rowTables = [
  'klines',
  'undo',
  'balances',
  'holder_bars',
  'supplies',
  'launches',
  'pairs',
  'tokens',
  'smart_wallets',
  'smart_wallet_runs',
  'risk_reports',
  'doubtful_blocks',
  'left_out',
  'log_consumers',
]

// A closed writer's session ends within milliseconds; longer means that a process still writes this
// chain.
const writerWaitMs = 5_000

// PostgreSQL's code for a lock that was not available in time.
const lockNotAvailable = '55P03'

/** Deletes everything stored of one chain, in short statements. True once nothing is left. */
export async function dropChain(options: DropChainOptions): Promise<boolean> {
  const { connection, chainId, signal } = options
  const limits = { ...defaultDropChainLimits, ...options.limits }
  const client = new StoreClient(clientConfigOf(connection, 'chaintape drop'))
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (!(await tryLock(client, 'writer', chainId, writerWaitMs)))
      throw new WriterLockedError({ chain: `number ${chainId}` })
    for await (const _ of dropSteps(client, chainId, limits)) if (signal?.aborted) return false
    return true
  } catch (error) {
    throw databaseFault(error, describeConnection(connection))
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Yields after each statement that deleted rows. */
async function* dropSteps(
  client: Client,
  chainId: number,
  limits: DropChainLimits,
): AsyncGenerator<void> {
  await client.query(`SET lock_timeout = ${limits.lockWaitMs}`)
  for (const table of dailyTables) {
    const parent = chainPartitionOf(table, chainId)
    // Day by day first, which only locks the chain's own tables. The last drop, which blocks
    // readers of every chain, is of an empty table.
    for (const name of await tablesOf(client, parent)) {
      await dropTable(client, name, limits.triesMax)
      yield
    }
  }
  for (const table of rowTables) yield* deleteRows(client, table, chainId, limits.rowsMax)
  yield* deleteRows(client, 'snapshot_chunks', chainId, limits.chunksMax)
  await forgetChain(client, chainId)
}

/** Tables of its days, then its own table; none if it is already gone. */
async function tablesOf(client: Client, parent: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_partition_tree(to_regclass($1)) t JOIN pg_class c ON c.oid = t.relid
     ORDER BY t.level DESC, 1`,
    [parent],
  )
  return rows.map(({ name }) => name)
}

async function dropTable(client: Client, name: string, triesMax: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`DROP TABLE ${name}`)
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== lockNotAvailable || tries >= triesMax) throw error
    }
  }
}

async function* deleteRows(
  client: Client,
  table: string,
  chainId: number,
  rowsMax: number,
): AsyncGenerator<void> {
  for (;;) {
    const { rowCount } = await client.query(
      `DELETE FROM ${table} WHERE chain = $1 AND ctid = ANY (
         ARRAY(SELECT ctid FROM ${table} WHERE chain = $1 LIMIT ${rowsMax}))`,
      [chainId],
    )
    if ((rowCount ?? 0) < rowsMax) return
    yield
  }
}

/** Deletes the chain's own row, and rows that were written meanwhile. */
async function forgetChain(client: Client, chainId: number): Promise<void> {
  await client.query('BEGIN')
  // Storing a snapshot locks this row.
  await client.query('SELECT FROM chains WHERE id = $1 FOR UPDATE', [chainId])
  await client.query('DELETE FROM snapshots WHERE chain = $1', [chainId])
  await client.query('DELETE FROM cursors WHERE chain = $1', [chainId])
  await client.query('DELETE FROM chains WHERE id = $1', [chainId])
  for (const table of ['smart_wallets', 'smart_wallet_runs', 'risk_reports'])
    await client.query(`DELETE FROM ${table} WHERE chain NOT IN (SELECT id FROM chains)`)
  await client.query('COMMIT')
}
