// Kills the service and its database with SIGKILL while they index, a hundred times in `npm run
// soak`: first during a backfill, then while they follow a chain with reorgs. The stored rows, and
// the market computed from the log, must equal those of an uninterrupted run.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import { countReverts, type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { type Program, runProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { startService, untilBalancesKnown, untilStored } from '../support/service.ts'
import { expectSameMarket, readStored } from '../support/storedMarket.ts'

const marketBlocks = 260
const moreBlocks = 60
const isSoak = process.env.SOAK !== undefined
const backfillKillsMin = isSoak ? 60 : 8
const liveKillsMin = isSoak ? 50 : 6
/** Below the finality depth. */
const reorgDepthMax = 12
let market: IndexedNode

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'crash', blocks: marketBlocks })
})

afterAll(() => market.stop())

const random = createRandom(20)

type Disturbed = { dataDir: string; backfillConfig: string; liveConfig: string }

async function createDisturbed(): Promise<Disturbed> {
  // Small ranges and transactions, so that kills often hit half-done work.
  const limits = {
    snapshot_every_ms: 300,
    log_range_blocks_max: 8,
    backfill_ranges_max: 1,
    queue_blocks_max: 4,
  }
  // With little memory, rows are in pages, and final ones soon in an image.
  const settings = { market_memory: 30_000 }
  // Slow enough that most runs are killed before they reach the end.
  const rpc = [{ http_url: market.node.rpcUrl, requests_per_second_max: 120 }]
  const { dataDir, config: backfillConfig } = await market.createConfig(limits, { rpc }, settings)
  const { config: liveConfig } = await market.createConfig(limits, {}, settings)
  return { dataDir, backfillConfig, liveConfig }
}

test('behavior: kills at random moments lose and duplicate nothing', async () => {
  const disturbed = await createDisturbed()
  await killBackfills(disturbed)
  expect(await killLive(disturbed)).toBeGreaterThan(liveKillsMin)

  const expected = await market.backfillFresh()
  const head = await market.node.readHead()
  expect(expected.state.head?.hash).toBe(head.hash)
  expect(expected.tables.swaps!.length).toBeGreaterThan(500)
  expect(expected.state.pairs).toBeGreaterThan(10)
  expectSameMarket(await readStored(disturbed.dataDir, market.node.profile), expected)
})

async function killBackfills({ dataDir, backfillConfig }: Disturbed): Promise<void> {
  for (let kills = 0; kills < backfillKillsMin; ) {
    const program = runProgram(['backfill', '--config', backfillConfig])
    const isStarted = await program.untilOutput(/\d/).then(
      () => true,
      () => false,
    )
    if (isStarted) kills += await killWithin(120, program, dataDir, kills % 2 === 1)
    const code = await program.ended
    expect([0, 'SIGKILL', 75], program.stderr()).toContain(code)
    // The backfill ended before it was killed often enough: it needs more blocks.
    if (code === 0) await market.mine(moreBlocks)
  }
}

/**
 * Kills the service during reorgs, and makes reorgs while it is down. Returns the number of
 * reverted blocks.
 */
async function killLive({ dataDir, liveConfig }: Disturbed): Promise<number> {
  for (let kills = 0; kills < liveKillsMin; ) {
    const service = await startService(dataDir, liveConfig)
    await untilStored(dataDir, market.node)
    const killed = killWithin(600, service, dataDir, kills % 3 === 2)
    await market.mine(1)
    await market.reorg(2 + Math.floor(random() * (reorgDepthMax - 1)))
    kills += await killed
    expect(await service.ended).toBe('SIGKILL')
  }
  const service = await startService(dataDir, liveConfig)
  await untilBalancesKnown(service)
  await market.mine(2)
  await untilStored(dataDir, market.node)
  const reverts = await countReverts(dataDir)
  expect(await service.stop()).toBe(0)
  return reverts
}

/** Kills after a random delay. Returns the number of kills that hit a running process. */
async function killWithin(
  delayMsMax: number,
  program: Program,
  dataDir: string,
  isDatabase: boolean,
): Promise<number> {
  await delay(random() * delayMsMax)
  if (!isDatabase) return program.child.kill('SIGKILL') ? 1 : 0
  const pid = await findPostmaster(join(dataDir, 'postgres'))
  if (pid === null || program.child.exitCode !== null || !kill(pid)) return 0
  // The service survives the kill of its database; then it is killed as well while it catches up.
  await delay(random() * 400)
  return program.child.kill('SIGKILL') ? 2 : 1
}

/** False if the process is already gone. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
