// Backs up a service while it follows a chain, restores it elsewhere, and lets the copies continue
// beside the original.
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { createDataDir, dumpTables, removeDataDir, urlOf, withClient } from '../support/postgres.ts'
import { type Program, runProgram } from '../support/program.ts'
import { type Service, startService, untilBalancesKnown, untilStored } from '../support/service.ts'
import {
  expectSameMarket,
  privateConnectionOf,
  readStored,
  readStoredFrom,
} from '../support/storedMarket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let postgres: TestPostgres
let folder: string
let dataDir: string
let config: string
let service: Service
let key: string

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'backup', blocks: 120 })
  postgres = await startTestPostgres()
  folder = await createDataDir()
  ;({ dataDir, config } = await market.createConfig({
    snapshot_every_ms: 500,
  }))
  service = await startService(dataDir, config)
  await untilStored(dataDir, market.node)
  key = (await run('keys', 'create', '--plan', 'pro', '--config', config)).key as string
  for (let count = 0; count < 3; count += 1)
    expect((await service.get('/v2/tokens/main?chain=local', key)).status).toBe(200)
  await until('usage is stored', async () => (await usageOf(dataDir)).length > 0)
})

afterAll(async () => {
  await service.kill()
  await market.stop()
  await postgres.stop()
  await removeDataDir(folder)
})

const started: Program[] = []

function start(...args: string[]): Program {
  const program = runProgram([...args, '--json'])
  started.push(program)
  return program
}

async function run(...args: string[]): Promise<Record<string, unknown>> {
  const program = start(...args)
  expect(await program.ended, program.stderr()).toBe(0)
  return JSON.parse(program.stdout())
}

/** Runs a command that must be refused and returns its error. */
async function refusal(...args: string[]): Promise<{ code: string; text: string }> {
  const program = start(...args)
  expect(await program.ended, program.stdout()).toBe(1)
  const { error } = JSON.parse(program.stderr())
  return { code: error.code, text: [error.message, ...error.meta].join('\n') }
}

const backup = (name: string) => run('backup', join(folder, name), '--config', config)

async function usageOf(place: string): Promise<string[]> {
  return (await dumpTables(await privateConnectionOf(place), ['usage'])).usage!
}

test('behavior: copies of a running service continue without a gap, in both kinds of database', async () => {
  // Blocks arrive during the backup.
  const mining = market.mine(12)
  const written = await backup('running.ctb')
  await mining
  expect(written).toMatchObject({ schema: expect.any(Number), chains: [{ name: 'local' }] })
  const copies = [await restorePrivate('running.ctb'), await restoreToUrl('running.ctb')]
  await market.mine(3)
  for (const { config, args, dataDir: place } of copies) {
    const copy = await startService(place, config, args)
    try {
      for (const one of [copy, service]) {
        await untilAtHead(one)
        await untilBalancesKnown(one)
      }
      await expectSameAnswers(copy)
    } finally {
      expect(await copy.stop()).toBe(0)
    }
  }
  await untilStored(dataDir, market.node)
  const { profile } = market.node
  const original = await readStoredFrom(await privateConnectionOf(dataDir), profile)
  expect(original.tables.swaps!.length).toBeGreaterThan(200)
  expectSameMarket(await readStored(copies[0]!.dataDir, profile), original)
  expectSameMarket(await readStoredFrom(copies[1]!.connection!, profile), original)
  expect(await logGaps(copies[1]!.connection!)).toBe(0)
})

async function untilAtHead({ chainHealth }: Service): Promise<void> {
  const { number } = await market.node.readHead()
  await until('it is at the head', async () => {
    const { head_block, persisted_block } = await chainHealth()
    return head_block === number && persisted_block === number
  })
}

async function restorePrivate(name: string) {
  const place = await market.createConfig()
  await run('restore', join(folder, name), '--config', place.config)
  return { ...place, args: [] as string[], connection: null }
}

async function restoreToUrl(name: string) {
  const connection = await postgres.createDatabase()
  const place = await market.createConfig()
  const args = ['--database-url', urlOf(connection)]
  await run('restore', join(folder, name), '--config', place.config, ...args)
  return { ...place, args, connection }
}

/** Number of missing entries in the log plus the distance between its last entry and the cursor. */
async function logGaps(connection: Parameters<typeof withClient>[0]): Promise<number> {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ gaps: string }>(
      'SELECT max(seq) - count(*) + abs(max(seq) - (SELECT seq FROM cursors)) AS gaps FROM log',
    ),
  )
  return Number(rows[0]!.gaps)
}

async function expectSameAnswers(copy: Service): Promise<void> {
  const main = (await (await service.get('/v2/tokens/main?chain=local')).json()) as {
    token: string
    main_pair: string
  }[]
  expect(main.length).toBeGreaterThan(0)
  // A fixed end time: otherwise each service would answer up to its own current time.
  const toTime = Math.floor(Date.now() / 1_000)
  const tokenPaths = main.flatMap(({ token }) => [
    `/v2/tokens/${token}-local`,
    `/v2/tokens/top100/${token}-local`,
  ])
  // Stablecoins have no main pair.
  const pairs = main.map(({ main_pair: pair }) => pair).filter((pair) => pair !== '')
  expect(pairs.length).toBeGreaterThan(0)
  const pairPaths = pairs.flatMap((pair) => [
    `/v2/pairs/${pair}-local`,
    `/v2/klines/pair/${pair}-local?interval=1&limit=500&to_time=${toTime}`,
    `/v2/klines/pair/${pair}-local?interval=s1&limit=500&to_time=${toTime}`,
    `/v2/txs/${pair}-local?limit=100&to_time=${toTime}`,
  ])
  const paths = ['/v2/tokens/main?chain=local', '/v2/ranks?topic=hot', ...tokenPaths, ...pairPaths]
  for (const path of paths) {
    expect(await wholeAnswer(copy, path), path).toEqual(await wholeAnswer(service, path))
  }
  const total = { requests: 3, failed: 0 }
  const usage = await copy.get('/v2/usage', key)
  const { plan, operations } = (await usage.json()) as { plan: string; operations: object[] }
  expect(plan).toBe('pro')
  expect(operations).toContainEqual(expect.objectContaining({ operation: 'mainTokens', ...total }))
}

/**
 * The answer once all native balances of holders are known: a service does not wait for a busy
 * node.
 */
async function wholeAnswer(of: Service, path: string): Promise<string> {
  let text = ''
  await until(`${path} knows all`, async () => {
    const answer = await of.get(path)
    expect(answer.status, path).toBe(200)
    text = await answer.text()
    return !text.includes('"main_coin_balance_known":false')
  })
  return text
}

test('behavior: a stopped service is backed up as well', async () => {
  const place = await restorePrivateOf('stopped-from.ctb')
  const file = join(folder, 'stopped.ctb')
  await run('backup', file, '--config', place.config)
  const again = await market.createConfig()
  await run('restore', file, '--config', again.config)
  const tablesOf = async (at: string) => {
    await run('keys', 'list', '--data-dir', at)
    const stored = await readStored(at, market.node.profile)
    return stored.tables
  }
  expect(await tablesOf(again.dataDir)).toEqual(await tablesOf(place.dataDir))
})

async function restorePrivateOf(name: string) {
  await backup(name)
  return await restorePrivate(name)
}

test('behavior: a kill during a backup leaves no backup, and the next one works', async () => {
  const file = join(folder, 'killed.ctb')
  const halves = () => readdirSync(folder).filter((name) => name.startsWith('killed.ctb.part-'))
  const program = start('backup', file, '--config', config)
  await until('it writes', () => halves().length > 0)
  program.child.kill('SIGKILL')
  expect(await program.ended).toBe('SIGKILL')
  expect(existsSync(file)).toBe(false)
  const [half] = halves()
  const { config: emptyConfig } = await market.createConfig()
  const { code } = await refusal('restore', join(folder, half!), '--config', emptyConfig)
  expect(['BACKUP_DAMAGED', 'BACKUP_INVALID']).toContain(code)
  await run('backup', file, '--config', config)
  expect(halves()).toEqual([])
  expect((await service.chainHealth()).database_error).toBeNull()
})

test('behavior: a kill during a restore leaves nothing, and the next one works', async () => {
  await backup('restored.ctb')
  const file = join(folder, 'restored.ctb')
  const place = await market.createConfig()
  const program = start('restore', file, '--config', place.config)
  const connection = await untilRestoring(place.dataDir)
  program.child.kill('SIGKILL')
  expect(await program.ended).toBe('SIGKILL')
  await until('its session is gone', async () => (await restoring(connection)) === 0)
  const { rows } = await withClient(connection, (client) =>
    client.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
  )
  expect(rows).toEqual([])
  await run('restore', file, '--config', place.config)
  const restored = await readStored(place.dataDir, market.node.profile)
  expect(restored.tables.swaps!.length).toBeGreaterThan(200)
})

/** Resolves when a restore into that database is inside its transaction. */
async function untilRestoring(place: string) {
  await until('there is a server', () => existsSync(join(place, 'socket', '.s.PGSQL.5432')))
  const connection = await privateConnectionOf(place)
  await until('it copies', () =>
    restoring(connection).then(
      (count) => count > 0,
      () => false,
    ),
  )
  return connection
}

async function restoring(connection: Parameters<typeof withClient>[0]): Promise<number> {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ count: string }>(
      `SELECT count(*) AS count FROM pg_stat_activity
       WHERE application_name = 'chaintape restore' AND xact_start IS NOT NULL`,
    ),
  )
  return Number(rows[0]!.count)
}

test('error: a target that is not empty is left unchanged', async () => {
  await backup('other.ctb')
  const file = join(folder, 'other.ctb')
  const running = await refusal('restore', file, '--config', config)
  expect(running.code).toBe('RESTORE_SERVICE_RUNNING')
  const url = urlOf(await postgres.createDatabase())
  const { config: elsewhere } = await market.createConfig()
  const args = ['--config', elsewhere, '--database-url', url]
  await run('restore', file, ...args)
  const again = await refusal('restore', file, ...args)
  expect(again.code).toBe('RESTORE_NOT_EMPTY')
  expect(again.text).toMatch(/a store of schema \d+/)
  expect(again.text).not.toContain(url)
})

test('error: nothing to back up, and files that are not backups', async () => {
  const empty = join(folder, 'empty')
  const nothing = await refusal('backup', join(folder, 'none.ctb'), '--data-dir', empty)
  expect(nothing.code).toBe('BACKUP_NOTHING')
  expect(existsSync(empty)).toBe(false)
  const url = urlOf(await postgres.createDatabase())
  const bare = await refusal('backup', join(folder, 'none.ctb'), '--database-url', url)
  expect(bare.code).toBe('BACKUP_NOTHING')

  const taken = join(folder, 'taken.ctb')
  await writeFile(taken, 'mine')
  expect((await refusal('backup', taken, '--config', config)).code).toBe('BACKUP_FILE_EXISTS')
  const nowhere = await refusal('backup', join(folder, 'no', 'such.ctb'), '--config', config)
  expect(nowhere).toMatchObject({ code: 'BACKUP_FILE', text: expect.stringContaining('ENOENT') })

  expect((await refusal('restore', taken, '--data-dir', empty)).code).toBe('BACKUP_INVALID')
  const missing = await refusal('restore', join(folder, 'missing.ctb'), '--data-dir', empty)
  expect(missing).toMatchObject({ code: 'BACKUP_FILE', text: expect.stringContaining('missing') })
  expect(existsSync(empty)).toBe(false)
})
