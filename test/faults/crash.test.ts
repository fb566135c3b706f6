// Kills the service and its database with SIGKILL while they index, a hundred times in `npm run soak`: first while they
// catch up, then while they follow a chain that replaces blocks. What is stored in the end is compared with an uninterrupted
// run on the same chain: row by row, and the market that the log gives.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import { countReverts, type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { type Program, runProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { startService, untilKnown, untilStored } from '../support/service.ts'
import { expectSameMarket, readStored } from '../support/storedMarket.ts'

const marketBlocks = 260
const moreBlocks = 60
const isSoak = process.env.SOAK !== undefined
const backfillKillsMin = isSoak ? 60 : 8
const liveKillsMin = isSoak ? 50 : 6
/** Less than what is final. */
const reorgDepthMax = 12
let market: IndexedNode

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'crash', blocks: marketBlocks })
})

afterAll(() => market.stop())

const random = createRandom(20)

type Disturbed = { dataDir: string; backfillConfig: string; liveConfig: string }

async function createDisturbed(): Promise<Disturbed> {
  // Small ranges and transactions: many moments at which something is half done.
  const limits = {
    snapshot_every_ms: 300,
    log_range_blocks_max: 8,
    backfill_ranges_max: 1,
    queue_blocks_max: 4,
  }
  // Rows beyond memory are in pages, and final ones soon in an image.
  const settings = { market_memory: 30_000 }
  // Slow enough that most runs are killed before they reach the end.
  const rpc = [{ http_url: market.node.rpcUrl, requests_per_second_max: 120 }]
  const { dataDir, config: backfillConfig } = await market.createConfig(limits, { rpc }, settings)
  const { config: liveConfig } = await market.createConfig(limits, {}, settings)
  return { dataDir, backfillConfig, liveConfig }
}

test('behavior: killed at random moments, nothing is lost and nothing is there twice', async () => {
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
    // It was at the end before it could be killed often enough.
    if (code === 0) await market.mine(moreBlocks)
  }
}

/** Blocks are replaced while it is killed, and before it is there again. Gives how many were reverted. */
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
  await untilKnown(service)
  await market.mine(2)
  await untilStored(dataDir, market.node)
  const reverts = await countReverts(dataDir)
  expect(await service.stop()).toBe(0)
  return reverts
}

/** Kills after a random moment. Gives the number of kills that hit. */
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
  // The service lives on with a database that comes back; then it is killed, too, while it catches up.
  await delay(random() * 400)
  return program.child.kill('SIGKILL') ? 2 : 1
}

/** False: it is gone already. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
