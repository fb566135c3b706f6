// A gateway that reads history from a streaming replica: while replication is paused and blocks go
// on, its answers have no gap and no duplicate.
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { readChainTrades } from '../support/chainTrades.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { urlOf } from '../support/postgres.ts'
import { testApiKey } from '../support/program.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replica.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let postgres: ReplicatedPostgres
let cluster: Cluster

beforeAll(async () => {
  ;[market, postgres] = await Promise.all([
    startIndexedNode({ seed: 'replica', blocks: 20 }),
    startReplicatedPostgres(),
  ])
  cluster = await startCluster({
    chain: market.node,
    connection: postgres.primary.connection,
    natsServers: 1,
    indexers: 1,
    gateways: 1,
    changes: {
      settings: {
        database_url: postgres.url,
        database_read_url: urlOf(postgres.replica.connection),
      },
    },
  })
})

afterAll(async () => {
  await cluster?.stop()
  await market?.stop()
  await postgres?.stop()
})

const gateway = () => cluster.gateways[0]!

async function health(): Promise<{ head: number; persisted: number }> {
  const response = await fetch(`${gateway().address}/health/ready`).catch(() => null)
  const body = (await response?.json()) as
    | { chains: Record<string, { head_block: number; persisted_block: number }> }
    | undefined
  const { head_block: head = -1, persisted_block: persisted = -1 } = body?.chains.local ?? {}
  return { head, persisted }
}

async function untilAtHead(isStored: boolean): Promise<void> {
  const { number } = await market.node.readHead()
  await until(`block ${number} is served`, async () => {
    const { head, persisted } = await health()
    return head === number && (!isStored || persisted === number)
  })
}

/** Compares every trade of the busiest pairs in the gateway's answers with the chain's logs. */
async function compare(): Promise<void> {
  const { swaps } = await readChainTrades(market.node.rpcUrl, market.node.profile)
  const counts = new Map<string, number>()
  for (const { pair } of swaps) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  const busy = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4)
  expect(busy[0]![1]).toBeGreaterThan(5)
  for (const [pair] of busy) {
    const url = `${gateway().address}/v2/txs/${pair}-local?limit=100&sort=desc`
    const response = await fetch(url, { headers: { 'X-API-KEY': testApiKey } })
    const body = (await response.json()) as { txs: { id: string }[] }
    expect(response.status, JSON.stringify(body)).toBe(200)
    const wanted = swaps.filter((swap) => swap.pair === pair).map(({ tx }) => tx.id)
    expect(body.txs.map(({ id }) => id).toReversed()).toEqual(wanted.slice(-100))
  }
}

const readCountOf = (name: string) =>
  gateway().stderr().split(`"Reads history from the ${name}"`).length - 1

test('default: a paused replica causes no gap and no duplicate, through a reorg and afterwards', async () => {
  onTestFailed(() => void process.stdout.write(gateway().stderr().slice(-6_000)))
  await untilAtHead(true)
  await until('the replica is read', () => readCountOf('replica') > 0)
  await compare()

  await postgres.replica.pause()
  const { persisted: before } = await health()
  await market.mine(6)
  await untilAtHead(false)
  await compare()
  await market.node.reorg(3)
  await market.mine(6)
  await untilAtHead(false)
  await compare()
  // The gateway must report the block at which replication stopped.
  await until(
    'the gateway reports the end of the replica',
    async () => (await health()).persisted === before,
  )

  await postgres.replica.resume()
  await untilAtHead(true)
  await compare()
})

test('behavior: without the replica the primary is read, and the replica again when it returns', async () => {
  onTestFailed(() => void process.stdout.write(gateway().stderr().slice(-6_000)))
  const [toReplica, toPrimary] = ['replica', 'primary'].map((name) => readCountOf(name))
  await postgres.replica.kill()
  await market.mine(4)
  await untilAtHead(false)
  await compare()
  await until('the primary is read', () => readCountOf('primary') > toPrimary!)
  await compare()
  await postgres.replica.start()
  await market.mine(2)
  await until('the replica is read', () => readCountOf('replica') > toReplica!)
  await untilAtHead(true)
  await compare()
})
