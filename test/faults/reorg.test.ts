// Reorgs under the whole program: while it follows, while it is stopped, and around a kill. In the
// end the stored data must equal a fresh backfill of the canonical chain.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { decodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { DevNode } from '../support/devNode.ts'
import { countReverts, type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { withClient } from '../support/postgres.ts'
import { type Service, startService, untilMetrics, untilStored } from '../support/service.ts'
import { expectSameMarket, privateConnectionOf, readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let node: DevNode
let service: Service | undefined

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'reorg', blocks: 30 })
  node = market.node
})

afterEach(async () => {
  await service?.kill()
})

afterAll(() => market.stop())

/** Number of tokens that were created in reverted blocks. */
async function countTokensReverted(dataDir: string): Promise<number> {
  const connection = await privateConnectionOf(dataDir)
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ entry: Buffer }>(
      `SELECT c.entry FROM log r JOIN log c ON c.hash = r.hash AND c.type = 'commit' AND c.seq < r.seq
       WHERE r.type = 'revert'`,
    )
    const blocks = rows.map(({ entry }) => decodeEntry(entry))
    return blocks.flatMap((entry) => (entry.type === 'commit' ? entry.block.tokens : [])).length
  })
}

test('default: reorgs of depth 1, 3 and 12 while the service follows', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  await untilStored(dataDir, node)
  for (const depth of [1, 3, 12]) {
    const revertsBefore = await countReverts(dataDir)
    await mineLaunch(node)
    await untilStored(dataDir, node)
    await market.reorg(depth)
    await untilStored(dataDir, node)
    expect((await countReverts(dataDir)) - revertsBefore).toBe(depth)
  }
  await untilMetrics(service, /^chaintape_reverts_total\{chain="local"\} 16$/m)
  expect(await countTokensReverted(dataDir)).toBeGreaterThanOrEqual(3)
  // The chain's thread reports its state a moment after its last block.
  await until('it is live', async () => {
    const { state, lag_blocks: lagBlocks } = await service!.chainHealth()
    return state === 'live' && lagBlocks === 0
  })
  expect(await service.stop()).toBe(0)
  const expected = await market.backfillFresh()
  expect(expected.tables.swaps!.length).toBeGreaterThan(100)
  expectSameMarket(await readStored(dataDir, node.profile), expected)
})

test('behavior: a reorg while the service is stopped', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  await mineLaunch(node)
  await untilStored(dataDir, node)
  expect(await service.stop()).toBe(0)
  await market.reorg(9)
  service = await startService(dataDir, config)
  await untilStored(dataDir, node)
  expect(await countReverts(dataDir)).toBe(9)
  expect(await countTokensReverted(dataDir)).toBeGreaterThanOrEqual(1)
  await market.mine(2)
  await untilStored(dataDir, node)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await market.backfillFresh())
})

test('behavior: a kill right after a reorg began', async () => {
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  for (const depth of [12, 7, 12]) {
    await mineLaunch(node)
    await untilStored(dataDir, node)
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
  await untilStored(dataDir, node)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, node.profile), await market.backfillFresh())
})
