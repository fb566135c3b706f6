// With the log on NATS too, a block at the head does not wait long for balances that only the
// database has; a later block completes them. If the process is killed before that, its successor
// must read them itself, since the log has the incomplete block.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { type TestConnection, withClient } from '../support/postgres.ts'
import { transfer } from '../support/simulate.ts'
import { readCursor, readStoredFrom } from '../support/storedMarket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let postgres: TestPostgres
let connection: TestConnection
let cluster: Cluster

beforeAll(async () => {
  ;[market, postgres] = await Promise.all([
    startIndexedNode({ seed: 'untold', blocks: 30 }),
    startTestPostgres(),
  ])
  connection = await postgres.createDatabase()
  cluster = await startCluster({
    chain: market.node,
    connection,
    natsServers: 1,
    indexers: 1,
    gateways: 1,
  })
})

afterAll(async () => {
  await cluster?.stop()
  await market?.stop()
  await postgres?.stop()
})

const indexer = () => cluster.indexers[0]!

async function untilMetrics(line: RegExp): Promise<void> {
  await until(`/metrics has ${line}`, async () => {
    const answer = await fetch(`${indexer().address}/metrics`).catch(() => null)
    return line.test((await answer?.text()) ?? '')
  })
}

/**
 * Waits until a gateway has the block from the log on NATS, whether or not the database answers.
 */
async function untilServed(): Promise<void> {
  const { number } = await market.node.readHead()
  await until(`block ${number} is served`, async () => {
    const { address } = cluster.gateways[0]!
    const answer = await fetch(`${address}/health/ready`).catch(() => null)
    const body = (await answer?.json()) as
      | { chains: Record<string, { head_block: number }> }
      | undefined
    return body?.chains.local?.head_block === number
  })
}

async function untilStored(): Promise<void> {
  const { number, hash } = await market.node.readHead()
  const isStored = async () => (await readCursor(connection).catch(() => null))?.hash === hash
  await until(`block ${number} is stored`, isStored)
}

async function countReverts(): Promise<number> {
  return await withClient(connection, async (client) => {
    const { rows } = await client.query(`SELECT seq FROM log WHERE type = 'revert'`)
    return rows.length
  })
}

test('behavior: logged blocks with unreported balances are reverted at a takeover, and no balance is lost', async () => {
  const { node } = market
  const dollar = node.profile.stables[0] as `0x${string}`
  await untilStored()
  // After the restart the indexer has no balances in memory.
  await indexer().kill()
  await untilMetrics(/^chaintape_unknown_balances\{.*\} 0$/m)
  await withClient(connection, async (client) => {
    await client.query('BEGIN')
    await client.query('LOCK TABLE balances IN ACCESS EXCLUSIVE MODE')
    await transfer(node, dollar, node.wallets.deployer, `0x${'57'.repeat(20)}`, 7n)
    await untilServed()
    await untilMetrics(/^chaintape_unknown_balances\{.*\} [1-9]/m)
    await indexer().kill()
    await client.query('COMMIT')
  })
  await until('the block is reverted', async () => (await countReverts()) > 0)
  await untilStored()
  await market.mine(1)
  await untilStored()
  expect(await countReverts()).toBe(1)
  const stored = await readStoredFrom(connection, node.profile)
  const fresh = await market.backfillFresh()
  expect(stored.state).toEqual(fresh.state)
  expect(stored.tables).toEqual(fresh.tables)
})
