import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { randomHistory } from '../support/storeWrites.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres
let connection: TestConnection
let store: Store

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

beforeEach(async () => {
  connection = await postgres.createDatabase()
  store = await openStore({ connection, logger: silentLogger })
  return () => store.close()
})

const snapshotBytes = Buffer.alloc(3_000_000, 7)

/** Stores a chain with rows in every table that has rows of chains. */
async function fillChain(name: string, seed: number): Promise<number> {
  const chainId = await store.ensureChain(name)
  const writer = await store.openWriter({ chainId, chain: name })
  for (const write of randomHistory(chainId, seed, 80)) writer.append(write)
  await writer.flush()
  await writer.close()
  const { seq, number, hash } = await store.loadCursor(chainId)
  await store.saveSnapshot({ chainId, seq, number, hash, format: 1 }, [snapshotBytes])
  const run = { sinceS: 0, madeAtS: 1, countMax: 10, timeMsMax: 60_000 }
  await store.refreshSmartWallets({ chainId, quoteIds: [], ...run })
  await store.saveRiskReports(chainId, [{ token: 'a', blockNumber: 1, report: '{}' }], 10)
  await withClient(connection, async (client) => {
    await client.query('INSERT INTO holder_bars VALUES ($1, 99, 5)', [chainId])
    await client.query(`INSERT INTO doubtful_blocks VALUES ($1, 1, 'hash', 'it jumps')`, [chainId])
    await client.query(`INSERT INTO left_out VALUES ($1, '0x', 'open', 1, 'h', 0, 'p', 1)`, [
      chainId,
    ])
    await client.query(`INSERT INTO log_consumers VALUES ($1, 'gateway', 1)`, [chainId])
    await client.query(
      `INSERT INTO smart_wallets VALUES ($1, 'rich', 1, 1, 1, 1, 1, 1, 1, 1, '{}', 1)`,
      [chainId],
    )
  })
  return chainId
}

/** Every row of a chain by table, for all tables of the schema. */
function rowsOf(chainId: number): Promise<Record<string, string[]>> {
  return withClient(connection, async (client) => {
    const { rows: tables } = await client.query<{ name: string; column: string }>(
      `SELECT c.relname AS name, a.attname AS column FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
         AND c.relnamespace = current_schema()::regnamespace
         AND (a.attname = 'chain' OR (c.relname = 'chains' AND a.attname = 'id'))
       ORDER BY 1`,
    )
    const found: Record<string, string[]> = {}
    for (const { name, column } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM ${name} t WHERE ${column} = $1 ORDER BY 1`,
        [chainId],
      )
      found[name] = rows.map(({ row }) => row)
    }
    return found
  })
}

function partitionsOf(chainId: number): Promise<string[]> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relname ~ $1 ORDER BY 1`,
      [`_c${chainId}(_d[0-9]+)?$`],
    )
    return rows.map(({ name }) => name)
  })
}

test('default: deletes every row of one chain and no row of another', async () => {
  const gone = await fillChain('local@before', 1)
  const kept = await fillChain('local@after', 2)
  const before = await rowsOf(kept)
  const partitions = await partitionsOf(kept)
  for (const rows of [await rowsOf(gone), before])
    for (const [table, found] of Object.entries(rows)) expect(found, table).not.toEqual([])
  expect((await partitionsOf(gone)).length).toBe(partitions.length)

  const limits = { rowsMax: 7, chunksMax: 1 }
  expect(await store.dropChain(gone, { limits })).toBe(true)

  for (const [table, found] of Object.entries(await rowsOf(gone))) expect(found, table).toEqual([])
  expect(await partitionsOf(gone)).toEqual([])
  expect(await rowsOf(kept)).toEqual(before)
  expect(await partitionsOf(kept)).toEqual(partitions)
  expect((await store.listChains()).map(({ name }) => name)).toEqual(['local@after'])
  expect(await store.findChain('local@before')).toBe(null)
  expect(await store.findChain('local@after')).toBe(kept)

  // The other chain can be written on.
  const writer = await store.openWriter({ chainId: kept, chain: 'local@after' })
  await writer.close()
  expect(writer.status().lastError).toBe(null)
})

test('behavior: after an interruption at any step the next run deletes the rest', async () => {
  const gone = await fillChain('local@before', 3)
  const kept = await fillChain('local@after', 4)
  const before = await rowsOf(kept)
  const limits = { rowsMax: 50, chunksMax: 1 }
  let runs = 0
  for (let isGone = false; !isGone; runs += 1) {
    expect(runs).toBeLessThan(1_000)
    // Runs one step, which must leave fewer rows than before.
    isGone = await store.dropChain(gone, { limits, signal: AbortSignal.abort() })
    expect(await store.findChain('local@before')).toBe(isGone ? null : gone)
  }
  expect(runs).toBeGreaterThan(10)
  for (const [table, found] of Object.entries(await rowsOf(gone))) expect(found, table).toEqual([])
  expect(await rowsOf(kept)).toEqual(before)
})

test('behavior: a reader of all chains delays the deletion and is not disturbed', async () => {
  const gone = await fillChain('local@before', 5)
  const kept = await fillChain('local@after', 6)
  await withClient(connection, async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT count(*) FROM swaps')
    const limits = { lockWaitMs: 20, triesMax: 2 }
    await expect(store.dropChain(gone, { limits })).rejects.toMatchObject({ retryable: true })
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*) FROM swaps WHERE chain = $1',
      [kept],
    )
    expect(rows[0]!.count).toBeGreaterThan(0)
    await client.query('COMMIT')
  })
  expect(await store.dropChain(gone)).toBe(true)
  expect(await partitionsOf(gone)).toEqual([])
})

test('error: a chain that is being written is not deleted', async () => {
  const chainId = await store.ensureChain('local')
  const writer = await store.openWriter({ chainId, chain: 'local' })
  await expect(store.dropChain(chainId)).rejects.toMatchObject({ code: 'STORE_WRITER_LOCKED' })
  expect(await store.findChain('local')).toBe(chainId)
  await writer.close()
})
