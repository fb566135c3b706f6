// Reorgs deeper than the blocks held in memory, under the whole program: the store is taken back and the market loaded
// anew. In the end what is stored must be what a fresh backfill of the canonical chain stores.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { createDataDir, removeDataDir, withClient } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import { expectSameMarket, privateConnectionOf, readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

const heldBlocks = 8
const finalityBlocks = 40

const dataDirs: string[] = []
let node: DevNode
let service: Service | undefined

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'deep reorg' })
  await mine(60)
})

afterEach(async () => {
  await service?.kill()
})

afterAll(async () => {
  await node.stop()
  for (const dataDir of dataDirs) await removeDataDir(dataDir)
})

async function mine(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) await node.mineMarket()
}

async function createConfig(): Promise<{ dataDir: string; config: string }> {
  const dataDir = await createDataDir()
  dataDirs.push(dataDir)
  // Time enough on a slow machine: a fact that is late changes what the blocks before it say.
  const limits = { resolve_ms_max: 10_000, snapshot_every_ms: 1_000 }
  const chain = { reorg_depth_max: heldBlocks, finality: finalityBlocks }
  return { dataDir, config: await writeChainConfig(dataDir, node, { limits, chain }) }
}

/** The market of the canonical chain, by somebody who never saw another branch. */
async function backfillFresh() {
  const { dataDir, config } = await createConfig()
  expect(await runProgram(['backfill', '--config', config]).ended).toBe(0)
  return await readStored(dataDir, node.profile)
}

/** Replaces the newest blocks by others, and some more. */
async function reorg(depth: number): Promise<void> {
  await node.reorg(depth)
  await mine(depth + 2)
}

async function count(dataDir: string, table: 'log' | 'snapshots', where: string): Promise<number> {
  const connection = await privateConnectionOf(dataDir)
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) AS count FROM ${table} WHERE ${where}`,
    )
    return Number(rows[0]!.count)
  })
}

const countReverts = (dataDir: string) => count(dataDir, 'log', `type = 'revert'`)

test('default: reorgs deeper than memory while it follows', async () => {
  const { dataDir, config } = await createConfig()
  service = await startService(dataDir, config)
  await untilStored(dataDir, node, finalityBlocks)
  for (const depth of [20, heldBlocks + 1, finalityBlocks]) {
    const revertsBefore = await countReverts(dataDir)
    await mineLaunch(node)
    await untilStored(dataDir, node, finalityBlocks)
    await reorg(depth)
    await untilStored(dataDir, node, finalityBlocks)
    expect((await countReverts(dataDir)) - revertsBefore).toBe(depth)
    // And one that memory takes back, on what was loaded anew.
    await reorg(3)
    await untilStored(dataDir, node, finalityBlocks)
  }
  const metrics = await (await service.get('/metrics')).text()
  expect(metrics).toMatch(/^chaintape_reverts_total\{chain="local"\} 78$/m)
  await until('it is live', async () => {
    const { state, lag_blocks: lagBlocks } = await service!.chainHealth()
    return state === 'live' && lagBlocks === 0
  })
  await until('there is a snapshot', async () => (await count(dataDir, 'snapshots', 'true')) > 0)
  expect(await service.stop()).toBe(0)
  const expected = await backfillFresh()
  expect(expected.tables.swaps!.length).toBeGreaterThan(100)
  expectSameMarket(await readStored(dataDir, node.profile), expected)
})

test('behavior: a reorg deeper than memory while it is stopped', async () => {
  const { dataDir, config } = await createConfig()
  service = await startService(dataDir, config)
  await mineLaunch(node)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await service.stop()).toBe(0)
  await reorg(20)
  service = await startService(dataDir, config)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await countReverts(dataDir)).toBe(20)
  await mine(2)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await backfillFresh())
})

test('behavior: killed while the store is taken back', async () => {
  const { dataDir, config } = await createConfig()
  service = await startService(dataDir, config)
  for (const depth of [30, 25]) {
    await mineLaunch(node)
    await untilStored(dataDir, node, finalityBlocks)
    const revertsBefore = await countReverts(dataDir)
    await reorg(depth)
    await until(
      'the first block is taken back',
      async () => (await countReverts(dataDir)) > revertsBefore,
    )
    await service.kill()
    service = await startService(dataDir, config)
  }
  await mine(2)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await backfillFresh())
})

test('error: final blocks are replaced', async () => {
  const { dataDir, config } = await createConfig()
  service = await startService(dataDir, config)
  await untilStored(dataDir, node, finalityBlocks)
  await reorg(finalityBlocks + 1)
  expect(await service.ended).toBe(1)
  expect(service.stderr()).toContain('REORG_TOO_DEEP')
  expect(service.stderr()).toContain('another name')
  const stored = await readStored(dataDir, node.profile)
  expect(stored.state.head!.number).toBe((await node.readHead()).number - 2)
})
