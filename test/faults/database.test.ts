// The whole program while its database hangs, dies, or belongs to another user.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import { childrenOf } from '../support/childrenOf.ts'
import type { DevNode } from '../support/devNode.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { urlOf } from '../support/postgres.ts'
import { runProgram } from '../support/program.ts'
import {
  type Service,
  startService,
  untilBalancesKnown,
  untilMetrics,
  untilStored,
} from '../support/service.ts'
import {
  expectSameMarket,
  readCursor,
  readStored,
  readStoredFrom,
} from '../support/storedMarket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

const queueBlocksMax = 12
let market: IndexedNode
let node: DevNode
let postgres: TestPostgres
let service: Service | undefined
/** Stopped processes that must be resumed before any cleanup. */
let stoppedPids: number[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  const limits = { queue_blocks_max: queueBlocksMax }
  market = await startIndexedNode({ seed: 'database', blocks: 30, limits })
  node = market.node
})

afterEach(async () => {
  wakeServer()
  await service?.kill()
})

afterAll(async () => {
  await market.stop()
  await postgres.stop()
})

const clusterPid = async (dataDir: string) =>
  (await findPostmaster(join(dataDir, 'postgres'))) as number

/** Stops all processes of the server, as if its disk did not answer. */
async function stopServer(dataDir: string): Promise<void> {
  const pid = await clusterPid(dataDir)
  // The parent first: it would start replacements for its children.
  process.kill(pid, 'SIGSTOP')
  stoppedPids = [pid]
  for (const child of await childrenOf(pid)) {
    process.kill(child, 'SIGSTOP')
    stoppedPids.push(child)
  }
}

function wakeServer(): void {
  for (const pid of stoppedPids.reverse()) process.kill(pid, 'SIGCONT')
  stoppedPids = []
}

/** Waits for balances that were not read in time, then mines the block that reports them. */
async function mineKnown(): Promise<void> {
  await untilBalancesKnown(service!)
  await market.mine(1)
}

test('behavior: a database that hangs delays storing, then ingestion, and loses nothing', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  // A new token's first block needs stored data. After this launch the next one is more than 40
  // blocks away.
  await mineLaunch(node)
  await untilStored(dataDir, node)
  const { get, chainHealth, health } = service
  expect((await get('/v2/tokens/main?chain=local')).status).toBe(200)
  const { number: stored } = await node.readHead()
  await until('health says so', async () => (await chainHealth()).persisted_block === stored)
  const before = await chainHealth()

  await stopServer(dataDir)
  await node.mineMarket()
  const next = (await node.readHead()).number
  await until('a block is applied', async () => (await chainHealth()).head_block === next)
  await until(
    'health names the database',
    async () => (await chainHealth()).database_error !== null,
  )
  expect((await health()).warnings.join()).toContain('the database does not answer')
  // A cached key keeps working while keys cannot be looked up.
  expect((await get('/v2/tokens/main?chain=local')).status).toBe(200)

  // One block at a time: a service that catches up would rather wait than store a swap without its
  // holding.
  for (let isPaused = false; !isPaused; ) {
    await node.mineMarket()
    const { number } = await node.readHead()
    await until('the block is applied, or ingestion pauses', async () => {
      const { paused_reason, head_block } = await chainHealth()
      isPaused = paused_reason !== null
      return isPaused || head_block === number
    })
  }
  const paused = await chainHealth()
  expect(paused).toMatchObject({
    persisted_block: before.persisted_block,
    queue_blocks: queueBlocksMax,
    queue_blocks_max: queueBlocksMax,
    paused_reason: 'The database is behind: its queue is full.',
  })
  // A commit and a finality entry per block share the queue.
  expect(paused.head_block! - before.head_block!).toBeGreaterThanOrEqual(queueBlocksMax / 2)
  expect(paused.head_block! - before.head_block!).toBeLessThanOrEqual(queueBlocksMax)
  expect((await get('/v2/tokens/main?chain=local')).status).toBe(200)
  expect((await get('/health/live')).status).toBe(200)
  expect((await health()).ready).toBe(true)
  await untilMetrics(service, /^chaintape_paused_state\{.*\} 1$/m)

  wakeServer()
  await mineKnown()
  await untilStored(dataDir, node)
  await until('nothing waits', async () => (await chainHealth()).queue_blocks === 0)
  await until('it is live', async () => {
    const { state, lag_blocks: lagBlocks, database_error: error } = await chainHealth()
    return state === 'live' && lagBlocks === 0 && error === null
  })
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await market.backfillFresh())
})

test('behavior: a stop does not wait for a hanging database', async () => {
  const { dataDir, config } = await market.createConfig({ stop_ms_max: 2_000 })
  service = await startService(dataDir, config)
  await untilStored(dataDir, node)
  await stopServer(dataDir)
  // Ingestion pauses because the queue is full or because a late block waits for stored data.
  await market.mine(20)
  await until('ingestion pauses', async () => {
    return (await service!.chainHealth()).paused_reason !== null
  })
  expect(await service.stop()).toBe(1)
  expect(service.stderr()).toContain('STOP_INCOMPLETE')
  wakeServer()
  service = await startService(dataDir, config)
  await untilStored(dataDir, node)
  expect(await service.stop()).toBe(0)
})

test('behavior: the service restarts a killed database by itself', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  // This request caches the key, so that it works without the database.
  expect((await service.get('/v2/tokens/main?chain=local')).status).toBe(200)
  for (let kills = 0; kills < 3; kills += 1) {
    await untilStored(dataDir, node)
    const pid = await clusterPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await market.mine(8)
    expect((await service.get('/v2/tokens/main?chain=local')).status).toBe(200)
    await untilStored(dataDir, node)
    expect(await clusterPid(dataDir)).not.toBe(pid)
    expect((await service.get('/v2/tokens/main?chain=local')).status).toBe(200)
  }
  await mineKnown()
  await untilStored(dataDir, node)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await market.backfillFresh())
})

test('behavior: --database-url uses an existing server, for one program per chain', async () => {
  const connection = await postgres.createDatabase()
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config, ['--database-url', urlOf(connection)])
  const head = await node.readHead()
  await until('the head is stored', async () => {
    const cursor = await readCursor(connection)
    return cursor?.hash === head.hash && cursor.finalized === head.number - 16
  })
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  expect((await readdir(dataDir)).toSorted()).toEqual(['config.json', 'id', 'terminal.url'])

  const second = await market.createConfig()
  const args = ['--config', second.config, '--port', '0', '--database-url', urlOf(connection)]
  const refused = runProgram(['start', '--json', ...args])
  expect(await refused.ended).toBe(1)
  expect(refused.stdout()).toBe('')
  const lines = refused.stderr().trim().split('\n')
  expect(JSON.parse(lines.at(-1)!)).toEqual({
    error: {
      code: 'STORE_WRITER_LOCKED',
      message: 'Another process is writing the chain "local".',
      meta: ['Stop that process, or give this one another database.'],
      retryable: false,
    },
  })
  expect((await service.get('/v2/tokens/main?chain=local')).status).toBe(200)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStoredFrom(connection, node.profile), await market.backfillFresh())
})
