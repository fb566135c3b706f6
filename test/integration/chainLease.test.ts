// Election of a leader among several indexers by locks of a real server, including lost sessions.
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { claimChainsByName } from '../../packages/server/src/app/roles/claimedChains.ts'
import { lockClasses, tryLock } from '../../packages/server/src/store/advisoryLock.ts'
import { lockIdOf, takeChainLease } from '../../packages/server/src/store/chainLease.ts'
import { clientConfigOf, type StoreConnection } from '../../packages/server/src/store/connection.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { silentLogger, type TestConnection, urlOf, withClient } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

const leaseMs = 2_000

let postgres: TestPostgres
let connection: TestConnection
let store: Store
let chainId: number
const indexers: Indexer[] = []
const clients: Client[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  connection = await postgres.createDatabaseWithTables()
  store = await openStore({ connection, logger: silentLogger })
  chainId = await store.ensureChain('eth')
})

afterEach(async () => {
  for (const indexer of indexers.splice(0)) await indexer.stop()
  for (const client of clients.splice(0)) await client.end().catch(() => undefined)
})

afterAll(async () => {
  await store.close()
  await postgres.stop()
})

type Indexer = {
  leads: boolean
  isStandby: boolean
  lost: string | null
  stop(): Promise<void>
}

function startIndexer(): Indexer {
  const ending = new AbortController()
  const taking = takeChainLease({
    connection: { databaseUrl: urlOf(connection), isIndexer: true },
    chains: claimChainsByName(['eth']),
    leaseMs,
    logger: silentLogger,
    signal: ending.signal,
    onStandBy() {
      indexer.isStandby = true
    },
    onLost({ code }) {
      indexer.lost = code
      indexer.leads = false
    },
  })
  const indexer: Indexer = {
    leads: false,
    isStandby: false,
    lost: null,
    async stop() {
      ending.abort()
      await taking.then((lease) => lease.release()).catch(() => undefined)
    },
  }
  void taking.then(
    () => {
      indexer.leads = true
    },
    (): void => undefined,
  )
  indexers.push(indexer)
  return indexer
}

/**
 * Opens the session that a stopped process leaves behind: it holds the chain's lock and never
 * answers.
 */
async function holdWriterLock(held: StoreConnection, name: string): Promise<Client> {
  const client = new Client(clientConfigOf(held, name))
  client.on('error', () => undefined)
  await client.connect()
  clients.push(client)
  // A server releases the locks of a session some time after its client has left.
  await until('the lock is free', () => tryLock(client, 'writer', chainId, 0))
  return client
}

const isAlive = (client: Client) =>
  client.query('SELECT 1').then(
    () => true,
    () => false,
  )

/** Open sessions of leases, whether they hold one or not. */
const leaseSessions = () =>
  withClient(connection, async (client) => {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity WHERE application_name LIKE '%chaintape lease' AND datname = current_database()`,
    )
    return rows.length
  })

/**
 * Terminates every session that holds the lease, as the server does with an unresponsive client.
 * Returns their number.
 */
async function endLeases(): Promise<number> {
  return await withClient(connection, async (client) => {
    const { rows } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN pg_locks USING (pid)
       WHERE application_name = 'chaintape indexer chaintape lease' AND locktype = 'advisory' AND granted
         AND datname = current_database()`,
    )
    return rows.length
  })
}

test('default: one of two indexers leads, the other is on standby until it ends', async () => {
  const first = startIndexer()
  await until('the first leads', () => first.leads)
  const second = startIndexer()
  await until('the second stands by', () => second.isStandby)
  expect(second.leads).toBe(false)
  await first.stop()
  await until('the second leads', () => second.leads)
  expect(first.lost).toBe(null)
})

test('behavior: a leader that lost its session keeps leading while nobody else does', async () => {
  const alone = startIndexer()
  await until('it leads', () => alone.leads)
  // After each termination the indexer opens a new session, which the next round terminates.
  for (let times = 3; times > 0; times -= 1)
    await until('its session is lost', async () => (await endLeases()) > 0)
  expect(alone.lost).toBe(null)
})

test('behavior: a leader that lost its session to another indexer is notified and stops leading', async () => {
  const deposed = startIndexer()
  await until('it leads', () => deposed.leads)
  const next = new Client(clientConfigOf({ databaseUrl: urlOf(connection) }, 'the next'))
  await next.connect()
  clients.push(next)
  // This session waits for the lock and receives it when the holder's session ends.
  const led = next.query('SELECT pg_advisory_lock($1::int, $2::int)', [
    lockClasses.lease,
    lockIdOf('eth'),
  ])
  await until('the next is in line', () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND pid = $1`, [
        (next as unknown as { processID: number }).processID,
      ])
      return rows.length === 1
    }),
  )
  expect(await endLeases()).toBe(1)
  await led
  await until('the loss is reported', () => deposed.lost !== null)
  expect(deposed.lost).toBe('LEASE_LOST')
  // The server would end an idle session of a lease by itself, but only after all of `leaseMs`.
  await until('its session is closed', async () => (await leaseSessions()) === 0, leaseMs / 2)
})

test('behavior: the next leader ends sessions of a stopped indexer, even if it was never on standby', async () => {
  const stopped = await holdWriterLock(
    { databaseUrl: urlOf(connection), isIndexer: true },
    'chaintape writer eth',
  )
  const next = startIndexer()
  await until('it leads', () => next.leads)
  expect(next.isStandby).toBe(false)
  expect(await isAlive(stopped)).toBe(false)
  const writer = await store.openWriter({ chainId, chain: 'eth' })
  await writer.close()
})

test('behavior: an indexer does not end the session of a single-process service', async () => {
  const service = await holdWriterLock({ databaseUrl: urlOf(connection) }, 'chaintape writer eth')
  const indexer = startIndexer()
  await until('it leads', () => indexer.leads)
  expect(await isAlive(service)).toBe(true)
})
