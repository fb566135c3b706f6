// Kills the service and its database with SIGKILL while they index, twenty times in all, and compares what is stored
// in the end with an uninterrupted run on the same chain: row by row, and the market that the log gives.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { type Program, runProgram, writeChainConfig } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { expectSameMarket, readStored } from '../support/storedMarket.ts'

const marketBlocks = 260
const moreBlocks = 60
const killsMin = 20
const dataDirs: string[] = []
let node: DevNode

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'crash' })
  await mine(marketBlocks)
})

afterAll(async () => {
  await node.stop()
  for (const dataDir of dataDirs) await removeDataDir(dataDir)
})

async function mine(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) await node.mineMarket()
}

async function createBackfill(): Promise<{ dataDir: string; run: () => Program }> {
  const dataDir = await createDataDir()
  dataDirs.push(dataDir)
  // Small ranges and transactions: many moments at which something is half done.
  const limits = {
    log_range_blocks_max: 8,
    backfill_ranges_max: 1,
    backfill_batch_blocks_max: 2,
    queue_blocks_max: 4,
  }
  // Slow enough that most runs are killed before they reach the end.
  const chain = { rpc: [{ http_url: node.rpcUrl, requests_per_second_max: 120 }] }
  const config = await writeChainConfig(dataDir, node, { limits, chain })
  return { dataDir, run: () => runProgram(['backfill', '--config', config]) }
}

async function postmasterPid(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  return pid > 0 ? pid : null
}

test('behavior: killed at random moments, nothing is lost and nothing is there twice', async () => {
  const random = createRandom(20)
  const disturbed = await createBackfill()
  for (let kills = 0; kills < killsMin; ) {
    const program = disturbed.run()
    const isDatabaseNext = kills % 2 === 1
    const killed = killLater(program, disturbed.dataDir, isDatabaseNext, random)
    const code = await program.ended
    kills += await killed
    expect([0, 'SIGKILL', 75]).toContain(code)
    // It was at the end before it could be killed often enough.
    if (code === 0) await mine(moreBlocks)
  }
  expect(await disturbed.run().ended).toBe(0)

  const undisturbed = await createBackfill()
  expect(await undisturbed.run().ended).toBe(0)
  const expected = await readStored(undisturbed.dataDir, node.profile)
  const head = await node.readHead()
  expect(expected.state.head?.hash).toBe(head.hash)
  expect(expected.tables.swaps!.length).toBeGreaterThan(500)
  expect(expected.state.pairs).toBeGreaterThan(10)
  expectSameMarket(await readStored(disturbed.dataDir, node.profile), expected)
})

/** Waits for the first sign of progress and a random moment, then kills. Gives the number of kills that hit. */
async function killLater(
  program: Program,
  dataDir: string,
  isDatabase: boolean,
  random: () => number,
): Promise<number> {
  const isStarted = await program.untilOutput(/\d/).then(
    () => true,
    () => false,
  )
  if (!isStarted) return 0
  await new Promise((resolve) => setTimeout(resolve, random() * 120))
  if (!isDatabase) return program.child.kill('SIGKILL') ? 1 : 0
  const pid = await postmasterPid(dataDir)
  if (pid === null || program.child.exitCode !== null || !kill(pid)) return 0
  // The service lives on with a database that comes back; then it is killed, too, while it catches up.
  await new Promise((resolve) => setTimeout(resolve, random() * 400))
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
