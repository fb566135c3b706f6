import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { clientConfigOf } from '../../packages/server/src/store/connection.ts'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import { until } from './until.ts'

export const silentLogger = createLogger('silent')

export type TestConnection = { host: string; port: number; user: string; database: string }

/** URL for `--database-url`. */
export const urlOf = ({ host, user, database }: TestConnection) =>
  `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`

export function createDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'chaintape-test-'))
}

/**
 * Removes a program's directory. First ends the server that a killed or failed program may have
 * left.
 */
export async function removeDataDir(dataDir: string): Promise<void> {
  const clusterDir = join(dataDir, 'postgres')
  const pid = await findPostmaster(clusterDir)
  if (pid !== null) {
    process.kill(pid, 'SIGQUIT')
    await until('the server is gone', async () => (await findPostmaster(clusterDir)) === null)
  }
  await rm(dataDir, { recursive: true, force: true })
}

export async function withClient<result>(
  connection: TestConnection,
  work: (client: Client) => Promise<result>,
): Promise<result> {
  const client = new Client(clientConfigOf(connection, 'test'))
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Tables that the writer fills, except the log. */
const marketTables = [
  'swaps',
  'liquidity',
  'klines_s1',
  'klines_k1',
  'klines',
  'tokens',
  'pairs',
  'supplies',
  'launches',
  'balances',
  'undo',
]

/** Every row of the market's tables as text, in a fixed order. */
export function dumpMarket(connection: TestConnection): Promise<Record<string, string[]>> {
  return dumpTables(connection, marketTables)
}

export function dumpTables(
  connection: TestConnection,
  tables: readonly string[],
): Promise<Record<string, string[]>> {
  return withClient(connection, async (client) => {
    const dump: Record<string, string[]> = {}
    for (const table of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} t ORDER BY t::text`,
      )
      dump[table] = rows.map(({ row }) => row)
    }
    return dump
  })
}

/** Every row of one chain without its id, in a fixed order. */
export function dumpChain(
  connection: TestConnection,
  chainId: number,
): Promise<Record<string, string[]>> {
  return withClient(connection, async (client) => {
    const dump: Record<string, string[]> = {}
    for (const table of [...marketTables, 'log', 'cursors']) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE chain = $1`,
        [chainId],
      )
      dump[table] = rows.map(({ row }) => row.replaceAll(`"chain": ${chainId},`, '')).toSorted()
    }
    return dump
  })
}
