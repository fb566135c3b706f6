// A block at the head does not wait long for balances that only the database has; a later block
// reports the amount. If the process is killed in between, its successor must find the unknown
// balances and report them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countReverts, type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { withClient } from '../support/postgres.ts'
import { startService, untilBalancesKnown, untilMetrics, untilStored } from '../support/service.ts'
import { transfer } from '../support/simulate.ts'
import { expectSameMarket, privateConnectionOf, readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

const recipient = `0x${'57'.repeat(20)}` as const
let market: IndexedNode

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'untold', blocks: 60 })
})

afterAll(() => market.stop())

/** Locks the balances table while `meanwhile` runs. */
async function whileLocked(dataDir: string, meanwhile: () => Promise<void>): Promise<void> {
  await withClient(await privateConnectionOf(dataDir), async (client) => {
    await client.query('BEGIN')
    await client.query('LOCK TABLE balances IN ACCESS EXCLUSIVE MODE')
    await meanwhile()
    await client.query('COMMIT')
  })
}

test('behavior: balances that no block has reported yet survive a kill', async () => {
  const { dataDir, config } = await market.createConfig()
  const dollar = market.node.profile.stables[0] as `0x${string}`
  const first = await startService(dataDir, config)
  await untilStored(dataDir, market.node)
  expect(await first.stop()).toBe(0)

  // After the restart no balance is in memory.
  const second = await startService(dataDir, config)
  await untilBalancesKnown(second)
  await whileLocked(dataDir, async () => {
    const { deployer } = market.node.wallets
    await transfer(market.node, dollar, deployer, recipient, 7n)
    const { number } = await market.node.readHead()
    await until(`block ${number} is served`, async () => {
      const { head_block } = await second.chainHealth()
      return head_block === number
    })
    await untilMetrics(second, /^chaintape_unknown_balances\{.*\} [1-9]/m)
  })
  await untilStored(dataDir, market.node)
  await second.kill()

  const third = await startService(dataDir, config)
  await untilStored(dataDir, market.node)
  await untilBalancesKnown(third)
  await market.mine(1)
  await untilStored(dataDir, market.node)
  expect(await countReverts(dataDir)).toBe(1)
  expect(await third.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
})
