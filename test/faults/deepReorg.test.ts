// Reorgs deeper than the blocks held in memory, under the whole program: the store is rewound and
// the market loaded again. In the end the stored data must equal a fresh backfill of the canonical
// chain.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { DevNode } from '../support/devNode.ts'
import {
  countReverts,
  countStoredRows,
  type IndexedNode,
  startIndexedNode,
} from '../support/indexedNode.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { type Service, startService, untilMetrics, untilStored } from '../support/service.ts'
import { expectSameMarket, readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

const heldBlocks = 8
const finalityBlocks = 40

let market: IndexedNode
let node: DevNode
let service: Service | undefined

beforeAll(async () => {
  // Generous time to resolve facts: a late fact would change what the blocks before it report.
  const limits = { resolve_ms_max: 10_000, snapshot_every_ms: 1_000 }
  const chain = { reorg_depth_max: heldBlocks, finality: finalityBlocks }
  market = await startIndexedNode({ seed: 'deep reorg', blocks: 60, limits, chain })
  node = market.node
})

afterEach(async () => {
  await service?.kill()
})

afterAll(() => market.stop())

test('default: reorgs deeper than the blocks in memory while the service follows', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  await untilStored(dataDir, node, finalityBlocks)
  for (const depth of [20, heldBlocks + 1, finalityBlocks]) {
    const revertsBefore = await countReverts(dataDir)
    await mineLaunch(node)
    await untilStored(dataDir, node, finalityBlocks)
    await market.reorg(depth)
    await untilStored(dataDir, node, finalityBlocks)
    expect((await countReverts(dataDir)) - revertsBefore).toBe(depth)
    // A shallow reorg after the reload, which is reverted in memory.
    await market.reorg(3)
    await untilStored(dataDir, node, finalityBlocks)
  }
  await untilMetrics(service, /^chaintape_reverts_total\{chain="local"\} 78$/m)
  await until('it is live', async () => {
    const { state, lag_blocks: lagBlocks } = await service!.chainHealth()
    return state === 'live' && lagBlocks === 0
  })
  await until('there is a snapshot', async () => (await countStoredRows(dataDir, 'snapshots')) > 0)
  expect(await service.stop()).toBe(0)
  const expected = await market.backfillFresh()
  expect(expected.tables.swaps!.length).toBeGreaterThan(100)
  expectSameMarket(await readStored(dataDir, node.profile), expected)
})

test('behavior: a reorg deeper than the blocks in memory while the service is stopped', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  await mineLaunch(node)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await service.stop()).toBe(0)
  await market.reorg(20)
  service = await startService(dataDir, config)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await countReverts(dataDir)).toBe(20)
  await market.mine(2)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await market.backfillFresh())
})

test('behavior: a kill while the store is rewound', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  for (const depth of [30, 25]) {
    await mineLaunch(node)
    await untilStored(dataDir, node, finalityBlocks)
    const revertsBefore = await countReverts(dataDir)
    await market.reorg(depth)
    await until(
      'the first block is reverted',
      async () => (await countReverts(dataDir)) > revertsBefore,
    )
    await service.kill()
    service = await startService(dataDir, config)
  }
  await market.mine(2)
  await untilStored(dataDir, node, finalityBlocks)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await market.backfillFresh())
})

test('error: final blocks are replaced', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  await untilStored(dataDir, node, finalityBlocks)
  await market.reorg(finalityBlocks + 1)
  expect(await service.ended).toBe(1)
  expect(service.stderr()).toContain('REORG_TOO_DEEP')
  expect(service.stderr()).toContain('another name')
  const stored = await readStored(dataDir, node.profile)
  expect(stored.state.head!.number).toBe((await node.readHead()).number - 2)
})
