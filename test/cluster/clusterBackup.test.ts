// A service whose log is on NATS: backed up while it runs, and restored with and without that log.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { type NatsServers, startNatsServers } from '../support/natsServers.ts'
import { type TestConnection, urlOf, withClient } from '../support/postgres.ts'
import { type Program, runProgram, writeChainConfig } from '../support/program.ts'
import { expectSameMarket, readStoredFrom } from '../support/storedMarket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let postgres: TestPostgres
let nats: NatsServers
const running = new Set<Program>()

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'clusterBackup', blocks: 30 })
  postgres = await startTestPostgres()
  nats = await startNatsServers(1)
})
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await nats.stop()
  await market.stop()
  await postgres.stop()
})

/** Runs an indexer on a database with the log under a prefix. Resolves when the head is stored. */
async function index(connection: TestConnection, prefix: string): Promise<Program> {
  const config = await writeChainConfig(postgres.dataDir, market.node, {
    settings: {
      database_url: urlOf(connection),
      log: { level: 'info' },
      nats: { urls: nats.urls, prefix },
    },
  })
  const program = runProgram(['start', '--role', 'indexer', '--config', config, '--port', '0'])
  running.add(program)
  const { hash } = await market.node.readHead()
  await until('the head is stored', async () => {
    if (program.child.exitCode !== null) throw new Error(program.stderr())
    const { rows } = await withClient(connection, async (client) => {
      const { rows: there } = await client.query(`SELECT to_regclass('cursors') AS cursors`)
      return there[0].cursors === null ? { rows: [] } : client.query('SELECT hash FROM cursors')
    })
    return rows[0]?.hash === hash
  })
  return program
}

async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
  running.delete(program)
}

async function run(...args: string[]): Promise<void> {
  const program = runProgram(args)
  expect(await program.ended, program.stderr()).toBe(0)
}

test('default: a restored service continues with the existing log, or without one', async () => {
  const file = join(postgres.dataDir, 'cluster.ctb')
  const original = await postgres.createDatabase()
  const first = await index(original, 'kept')
  await run('backup', file, '--database-url', urlOf(original))
  await market.mine(12)
  await until('more is stored', async () => {
    const { rows } = await withClient(original, (client) =>
      client.query('SELECT hash FROM cursors'),
    )
    return rows[0]?.hash === (await market.node.readHead()).hash
  })
  await stop(first)

  const [filled, readAgain] = [await postgres.createDatabase(), await postgres.createDatabase()]
  for (const connection of [filled, readAgain])
    await run('restore', file, '--database-url', urlOf(connection))
  const behindLog = await index(filled, 'kept')
  expect(behindLog.stderr()).toContain('Stored log entries of an earlier writer')
  await stop(behindLog)
  const withoutLog = await index(readAgain, 'new')
  expect(withoutLog.stderr()).not.toContain('Stored log entries of an earlier writer')
  await stop(withoutLog)

  const fresh = await market.backfillFresh()
  for (const connection of [original, filled, readAgain])
    expectSameMarket(await readStoredFrom(connection, market.node.profile), fresh)
})
