// The whole program on a real chain and a real database: reorgs while it follows, a kill, and a
// reorg while it is down. The stored data must equal a fresh read of the chain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countReverts, type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { startService, untilStored } from '../support/service.ts'
import { expectSameMarket, readStored } from '../support/storedMarket.ts'

let market: IndexedNode

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'core', blocks: 24 })
})

afterAll(() => market.stop())

test('behavior: reorgs before and during a kill leave the market of the canonical chain', async () => {
  const { dataDir, config } = await market.createConfig()
  const { node } = market
  const first = await startService(dataDir, config)
  await untilStored(dataDir, node)
  await market.reorg(3)
  await untilStored(dataDir, node)
  expect(await countReverts(dataDir)).toBe(3)
  // Mines a launch first: otherwise the bots would mine the replaced blocks again.
  await mineLaunch(node)
  await untilStored(dataDir, node)
  await first.kill()
  await market.reorg(5)
  const second = await startService(dataDir, config)
  await untilStored(dataDir, node)
  expect(await countReverts(dataDir)).toBe(8)
  await market.mine(2)
  await untilStored(dataDir, node)
  expect(await second.stop()).toBe(0)
  const expected = await market.backfillFresh()
  expect(expected.tables.swaps!.length).toBeGreaterThan(50)
  expectSameMarket(await readStored(dataDir, node.profile), expected)
})
