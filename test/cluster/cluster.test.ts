// A service in several processes, under faults: whatever is killed, stopped or cut off, every client is given what the chain's own logs say,
// in order, once; every gateway answers the same; and what is stored is what a run without faults stores.
// CLUSTER_MINUTES=15: for so long, with more clients. CLUSTER_SEED: another course of events, which it prints.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTape, type Tape, type TapeEvent } from '../../packages/client/src/index.ts'
import { type ChainTrade, readChainTrades, told } from '../support/chainTrades.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { type FollowedTrades, followTrades } from '../support/followTrades.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { urlOf, withClient } from '../support/postgres.ts'
import { testApiKey } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replica.ts'
import { readStoredFrom } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

const minutes = Number(process.env.CLUSTER_MINUTES ?? 0)
const seed = Number(process.env.CLUSTER_SEED ?? 16)
const isLong = minutes > 0
const clientCount = isLong ? 200 : 12
// Fewer than are final.
const reorgDepth = 3
const endIndex = 2_147_483_647
// Longer than a lease.
const stopMs = 6_500

let market: IndexedNode
let postgres: ReplicatedPostgres
let cluster: Cluster
const tapes: Tape[] = []
/** What was done, for who looks for the reason of a failure. */
const course: string[] = []

beforeAll(async () => {
  market = await startIndexedNode({ seed: `cluster ${seed}`, blocks: 20 })
  postgres = await startReplicatedPostgres()
  cluster = await startCluster({
    chain: market.node,
    connection: postgres.primary.connection,
    natsServers: 3,
    indexers: 2,
    gateways: 3,
    changes: {
      limits: { snapshot_every_ms: 5_000 },
      settings: {
        database_url: postgres.url,
        database_read_url: urlOf(postgres.replica.connection),
      },
    },
  })
})

afterAll(async () => {
  await Promise.all(tapes.map((tape) => tape.close()))
  await cluster?.stop()
  await market?.stop()
  await postgres?.stop()
})

async function get(address: string, url: string): Promise<string> {
  const response = await fetch(`${address}${url}`, { headers: { 'X-API-KEY': testApiKey } })
  const text = await response.text()
  expect(response.status, `${url}: ${text}`).toBe(200)
  return text
}

/** Every gateway has the node's head, and the store has it too. */
async function untilAtHead(): Promise<void> {
  const { number, hash } = await market.node.readHead()
  await until(`block ${number} is stored`, () =>
    withClient(postgres.primary.connection, async (client) => {
      const { rows } = await client.query('SELECT 1 FROM cursors WHERE hash = $1', [hash])
      return rows.length === 1
    }).catch(() => false),
  )
  for (const { address } of cluster.gateways)
    await until(`${address} is at block ${number}`, async () => {
      const health = await fetch(`${address}/health/ready`).catch(() => null)
      if (health === null) return false
      const { chains } = (await health.json()) as {
        chains: Record<string, { head_block: number; persisted_block: number }>
      }
      const { head_block, persisted_block } = chains.local!
      return head_block === number && persisted_block === number
    })
}

type Track = FollowedTrades & { pair: string | null }

async function openClients(): Promise<{ tracks: Track[]; after: number; events: TapeEvent[] }> {
  const { number, hash } = await market.node.readHead()
  const { swaps } = await readChainTrades(market.node.rpcUrl, market.node.profile)
  const busy = [...new Set(swaps.map(({ pair }) => pair).reverse())].slice(0, 4)
  const options = { since: `${number}-${hash.slice(2, 10)}-${endIndex}`, revisions: true }
  const events: TapeEvent[] = []
  const tracks: Track[] = []
  const wrapped = `${market.node.profile.native.wrappedToken}-local`
  for (let index = 0; index < clientCount; index += 1) {
    const tape = createTape({
      url: cluster.balancer.address,
      key: testApiKey,
      WebSocket,
      heartbeatS: 1,
      reconnectMsMax: 200,
    })
    tape.on((event) => events.push(event))
    tapes.push(tape)
    const pair = index === 0 ? null : busy[index % busy.length]!
    const followed =
      pair === null
        ? followTrades(tape, tape.tokenSwaps(wrapped, options))
        : followTrades(tape, tape.swaps(`${pair}-local`, options))
    tracks.push({ ...followed, pair })
  }
  return { tracks, after: number, events }
}

/** Or the bots would mine the very blocks that were replaced. */
async function replaceBlocks(): Promise<void> {
  await market.node.reorg(reorgDepth)
  await mineLaunch(market.node)
  await market.mine(reorgDepth)
}

type Fault = {
  name: string
  isOfLeader?: true
  run(pick: (count: number) => number): Promise<void>
}

/** Of the two indexers, the one whose lease is newest. */
async function leader(): Promise<number> {
  const leads = (text: string) => text.lastIndexOf('"msg":"Leads"')
  const alive = cluster.indexers.map((member) => {
    const life = member.stderr().split('ended:').at(-1)!
    return leads(life) >= 0
  })
  return Math.max(0, alive.lastIndexOf(true))
}

async function stopFor(signal: (name: NodeJS.Signals) => void, timeMs: number): Promise<void> {
  signal('SIGSTOP')
  await Promise.all([delay(timeMs), market.mine(3)])
  signal('SIGCONT')
}

const faults: readonly Fault[] = [
  {
    name: 'kill -9 of the leading indexer',
    isOfLeader: true,
    run: async () => cluster.indexers[await leader()]!.kill(),
  },
  {
    name: 'SIGSTOP of the leading indexer',
    isOfLeader: true,
    async run() {
      const { signal } = cluster.indexers[await leader()]!
      await stopFor(signal, stopMs)
    },
  },
  { name: 'kill -9 of a gateway', run: (pick) => cluster.gateways[pick(3)]!.kill() },
  {
    name: 'SIGSTOP of a gateway',
    run: (pick) => stopFor(cluster.gateways[pick(3)]!.signal, 2_000),
  },
  {
    name: 'kill -9 of a NATS server',
    async run(pick) {
      const index = pick(3)
      await cluster.nats.kill(index)
      await market.mine(2)
      await cluster.nats.start(index)
    },
  },
  {
    name: 'SIGSTOP of a NATS server',
    run(pick) {
      const index = pick(3)
      return stopFor((name) => cluster.nats.signal(index, name), 2_000)
    },
  },
  {
    name: 'cut of all lines to NATS',
    async run() {
      for (const line of cluster.lines) line.cut()
    },
  },
  {
    name: 'kill -9 of the database',
    isOfLeader: true,
    async run() {
      await postgres.primary.kill()
      await market.mine(2)
      await postgres.primary.start()
    },
  },
  {
    name: 'a replica that is behind',
    async run() {
      await postgres.replica.pause()
      await market.mine(4)
      await postgres.replica.resume()
    },
  },
  {
    // One that was away, and so lacks blocks.
    name: 'the database is lost and its replica promoted',
    isOfLeader: true,
    async run() {
      await postgres.replica.kill()
      await market.mine(3)
      await postgres.primary.kill()
      await postgres.replica.start()
      await postgres.failOver()
    },
  },
  { name: 'a reorg', run: replaceBlocks },
  {
    name: 'every client moves',
    async run() {
      cluster.balancer.move()
    },
  },
  {
    name: 'a reorg while nobody leads',
    isOfLeader: true,
    async run() {
      await cluster.indexers[await leader()]!.kill()
      await replaceBlocks()
    },
  },
]

/** All of them in an order by the seed, and again while there is time. */
async function runFaults(): Promise<{ count: number; takeoversMs: number[] }> {
  const random = createRandom(seed)
  const pick = (count: number) => Math.floor(random() * count)
  const takeoversMs: number[] = []
  const endMs = performance.now() + minutes * 60_000
  let count = 0
  do {
    const left = [...faults]
    while (left.length > 0) {
      const [fault] = left.splice(pick(left.length), 1)
      const startMs = performance.now()
      course.push(`${new Date().toISOString()} ${fault!.name}`)
      await fault!.run(pick)
      count += 1
      await market.mine(1 + pick(4))
      if (fault!.isOfLeader) {
        await untilAtHead()
        takeoversMs.push(performance.now() - startMs)
      }
      if (isLong) await delay(pick(3_000))
    }
  } while (performance.now() < endMs)
  return { count, takeoversMs }
}

async function answersOf(address: string, pairs: readonly string[]): Promise<string[]> {
  const urls = [
    '/v2/tokens/main?chain=local',
    '/v2/tokens?keyword=a&chain=local&limit=50',
    ...pairs.flatMap((pair) => [
      `/v2/pairs/${pair}-local`,
      `/v2/klines/pair/${pair}-local?interval=1&limit=500`,
      `/v2/txs/${pair}-local?limit=100&sort=desc`,
      `/v2/txs/liq/${pair}-local?limit=100`,
    ]),
  ]
  const answers: string[] = []
  // Without what the clock says: each was asked at its own time.
  for (const url of urls)
    answers.push(`${url} ${(await get(address, url)).replace(/"to_time":\d+/, '')}`)
  return answers
}

const toldLines = 40

/** What the processes said last. */
function tellCourse(): void {
  const said = [...cluster.indexers, ...cluster.gateways].map(({ role, address, stderr }) => {
    const lines = stderr().trim().split('\n').slice(-toldLines)
    return [`${role} ${address}`, ...lines].join('\n')
  })
  process.stdout.write(`CLUSTER_SEED=${seed}\n${[...course, ...said].join('\n')}\n`)
}

test('default: clients, gateways and store are as if nothing had happened, whatever did', {
  timeout: 600_000 + minutes * 60_000,
}, async () => {
  onTestFailed(tellCourse)
  await untilAtHead()
  const { tracks, after, events } = await openClients()
  await market.mine(5)
  const { count, takeoversMs } = await runFaults()
  await market.mine(20)
  await untilAtHead()

  const { node } = market
  const final = await readChainTrades(node.rpcUrl, node.profile)
  const wrapped = node.profile.native.wrappedToken
  const isWanted = (trade: ChainTrade, pair: string | null) =>
    trade.tx.block_number > after &&
    (pair === null ? trade.tokens.includes(wrapped) : trade.pair === pair)
  for (const { items, pair } of tracks) {
    const logged = final.swaps.filter((trade) => isWanted(trade, pair))
    const ids = logged.map(({ tx }) => tx.id)
    const isThere = () => items.map(({ id }) => id).join() === ids.join()
    // What is missing is told below.
    await until('all is there', isThere, 60_000).catch(() => undefined)
    expect(items.map(({ id }) => id)).toEqual(ids)
    for (const [at, trade] of logged.entries())
      expect(told(items[at] as never, trade)).toEqual(trade.tx)
  }
  expect(tracks[0]!.items.length).toBeGreaterThan(20)
  expect(events.map(({ type }) => type)).not.toContain('gap')

  const answers = await Promise.all(
    cluster.gateways.map(({ address }) => answersOf(address, final.pairs.slice(0, 8))),
  )
  for (const other of answers.slice(1)) expect(other).toEqual(answers[0])

  const stored = await readStoredFrom(postgres.primary.connection, node.profile)
  const fresh = await market.backfillFresh()
  expect(stored.state).toEqual(fresh.state)
  expect(stored.tables).toEqual(fresh.tables)
  const checked = tracks.reduce((sum, { items }) => sum + items.length, 0)
  const silenceMs = Math.max(
    ...tracks.filter(({ pair }) => pair === null).map((t) => t.silenceMs()),
  )
  const takeovers = takeoversMs.map((timeMs) => (timeMs / 1_000).toFixed(1)).join(', ')
  process.stdout.write(
    `CLUSTER_SEED=${seed}: ${count} faults, ${checked} events checked, longest silence ${(silenceMs / 1_000).toFixed(1)} s, from a fault of the leader until all is stored and served: ${takeovers} s\n`,
  )
})
