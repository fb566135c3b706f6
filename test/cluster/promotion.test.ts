// The database is lost and a replica that lacks its last blocks is promoted while clients listen:
// the log fills the gap, and no trade is missing or duplicated.
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTape, type Tape } from '../../packages/client/src/index.ts'
import { readChainTrades } from '../support/chainTrades.ts'
import { type Cluster, type ClusterProcess, startCluster } from '../support/cluster.ts'
import { followTrades } from '../support/followTrades.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { withClient } from '../support/postgres.ts'
import { testApiKey } from '../support/program.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replica.ts'
import { readStoredFrom } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let postgres: ReplicatedPostgres
let cluster: Cluster
let tape: Tape

beforeAll(async () => {
  ;[market, postgres] = await Promise.all([
    startIndexedNode({ seed: 'promotion', blocks: 20 }),
    startReplicatedPostgres(),
  ])
  cluster = await startCluster({
    chain: market.node,
    connection: postgres.primary.connection,
    natsServers: 1,
    indexers: 2,
    gateways: 1,
    changes: { settings: { database_url: postgres.url } },
  })
})

afterAll(async () => {
  await tape?.close()
  await cluster?.stop()
  await market?.stop()
  await postgres?.stop()
})

const gateway = () => cluster.gateways[0]!

async function untilAtHead(): Promise<void> {
  const { number } = await market.node.readHead()
  await until(`block ${number} is served and stored`, async () => {
    const response = await fetch(`${gateway().address}/health/ready`).catch(() => null)
    const body = (await response?.json()) as
      | { chains: Record<string, { head_block: number; persisted_block: number }> }
      | undefined
    const { head_block: head = -1, persisted_block: persisted = -1 } = body?.chains.local ?? {}
    return head === number && persisted === number
  })
}

async function storedNumber(): Promise<number> {
  return await withClient(postgres.replica.connection, async (client) => {
    const { rows } = await client.query('SELECT number FROM cursors')
    return Number(rows[0]?.number ?? -1)
  }).catch(() => -1)
}

/** Transaction ids of a pair as the gateway answers; null if the gateway cannot answer now. */
async function tradesOf(pair: string): Promise<string[] | null> {
  const url = `${gateway().address}/v2/txs/${pair}-local?limit=300&sort=asc&from_time=1`
  const response = await fetch(url, { headers: { 'X-API-KEY': testApiKey } }).catch(() => null)
  if (response?.status !== 200) return null
  const { txs } = (await response.json()) as { txs: { id: string }[] }
  return txs.map(({ id }) => id)
}

function printLogs(): void {
  const said = [...cluster.indexers, gateway()].map(({ role, stderr }) => {
    const lines = stderr().trim().split('\n').slice(-40)
    return [role, ...lines.map((line) => line.slice(0, 300))].join('\n')
  })
  process.stdout.write(`${said.join('\n')}\n`)
}

test('default: a promoted replica that is behind is filled from the log, and answers have no gap meanwhile', async () => {
  onTestFailed(printLogs)
  const { node } = market
  await untilAtHead()
  const before = await readChainTrades(node.rpcUrl, node.profile)
  const { number, hash } = before.head
  tape = createTape({
    url: cluster.balancer.address,
    key: testApiKey,
    WebSocket,
    heartbeatS: 1,
    reconnectMsMax: 200,
  })
  const wrapped = node.profile.native.wrappedToken
  const since = `${number}-${hash.slice(2, 10)}-2147483647`
  const { items } = followTrades(
    tape,
    tape.tokenSwaps(`${wrapped}-local`, { since, revisions: true }),
  )

  await postgres.replica.kill()
  await market.mine(8)
  await untilAtHead()
  // No other indexer can lead. The one that wrote to the lost database must find by itself what the
  // replica lacks, even without a new block.
  const isStandby = ({ stderr }: ClusterProcess) => stderr().includes('Standing by:')
  const standby = cluster.indexers.find(isStandby)!
  const leader = cluster.indexers.find((indexer) => !isStandby(indexer))!
  standby.signal('SIGSTOP')
  await postgres.primary.kill()
  await postgres.replica.start()
  expect(await storedNumber()).toBeLessThan((await node.readHead()).number)

  const { swaps } = await readChainTrades(node.rpcUrl, node.profile)
  const pair = swaps.findLast(({ tx }) => tx.block_number > number)!.pair
  const served = swaps.filter((swap) => swap.pair === pair).map(({ tx }) => tx.id)
  await postgres.replica.promote()
  await until('the leader gives up', () => leader.stderr().includes('STORE_CURSOR_MISMATCH'))
  standby.signal('SIGCONT')
  const { number: headNumber } = await node.readHead()
  let answers = 0
  await until('the log has filled the store, without a hole in an answer', async () => {
    const found = await tradesOf(pair)
    if (found !== null) {
      expect(found).toEqual(served)
      answers += 1
    }
    return answers > 0 && (await storedNumber()) === headNumber
  })

  // The indexer had more blocks in memory than are stored, and must resume from the stored ones.
  for (const { stderr } of cluster.indexers) expect(stderr()).not.toContain('LOG_GAP')

  await market.mine(6)
  await node.reorg(2)
  await market.mine(4)
  await untilAtHead()
  const after = await readChainTrades(node.rpcUrl, node.profile)
  const wanted = after.swaps.filter(
    ({ tx, tokens }) => tx.block_number > number && tokens.includes(wrapped),
  )
  const ids = wanted.map(({ tx }) => tx.id)
  await until('the client has it all', () => items.length >= ids.length, 60_000).catch(() => null)
  expect(items.map(({ id }) => id)).toEqual(ids)

  const stored = await readStoredFrom(postgres.replica.connection, node.profile)
  const fresh = await market.backfillFresh()
  expect(stored.state).toEqual(fresh.state)
  expect(stored.tables).toEqual(fresh.tables)
})
