// A rolling upgrade to a version that writes log entries in another format: gateways first, then
// indexers. A gateway of the old version reports it and sends its clients to other gateways.
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTape, type Tape } from '../../packages/client/src/index.ts'
import { readChainTrades } from '../support/chainTrades.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { followTrades } from '../support/followTrades.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { createNextBuild, type NextBuild } from '../support/nextBuild.ts'
import { testApiKey } from '../support/program.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let postgres: TestPostgres
let next: NextBuild
let cluster: Cluster
const tapes: Tape[] = []

beforeAll(async () => {
  ;[market, postgres, next] = await Promise.all([
    startIndexedNode({ seed: 'rolling upgrade', blocks: 20 }),
    startTestPostgres(),
    createNextBuild(),
  ])
  cluster = await startCluster({
    chain: market.node,
    connection: await postgres.createDatabase(),
    natsServers: 1,
    indexers: 1,
    gateways: 2,
    treeOf: (role, index) => (role === 'gateway' && index === 1 ? next.tree : undefined),
  })
})

afterAll(async () => {
  await Promise.all(tapes.map((tape) => tape.close()))
  await cluster?.stop()
  await next?.remove()
  await market?.stop()
  await postgres?.stop()
})

type Health = { status: number; ready: boolean; reasons: string[]; head: number }

async function healthOf(address: string): Promise<Health | null> {
  const response = await fetch(`${address}/health/ready`).catch(() => null)
  if (response === null) return null
  const { ready, reasons, chains } = (await response.json()) as Pick<
    Health,
    'ready' | 'reasons'
  > & { chains: Record<string, { head_block: number | null }> }
  return { status: response.status, ready, reasons, head: chains.local?.head_block ?? -1 }
}

async function untilAtHead(addresses: readonly string[]): Promise<void> {
  const { number } = await market.node.readHead()
  for (const address of addresses)
    await until(`${address} is at block ${number}`, async () => {
      return (await healthOf(address))?.head === number
    })
}

function printLogs(): void {
  const said = [...cluster.indexers, ...cluster.gateways].map(({ role, stderr }) => {
    const lines = stderr().trim().split('\n').slice(-12)
    return [role, ...lines.map((line) => line.slice(0, 300))].join('\n')
  })
  process.stdout.write(`${said.join('\n')}\n`)
}

test('default: an old gateway that receives a newer entry reports it and drains, and its clients miss nothing', async () => {
  onTestFailed(printLogs)
  const { node } = market
  const [old, updated] = cluster.gateways.map(({ address }) => address) as [string, string]
  await untilAtHead([old, updated])
  const { number, hash } = await node.readHead()
  const wrapped = node.profile.native.wrappedToken
  const since = `${number}-${hash.slice(2, 10)}-2147483647`
  const tracks = Array.from({ length: 4 }, () => {
    const tape = createTape({
      url: cluster.balancer.address,
      key: testApiKey,
      WebSocket,
      heartbeatS: 1,
      reconnectMsMax: 200,
    })
    tapes.push(tape)
    return followTrades(tape, tape.tokenSwaps(`${wrapped}-local`, { since, revisions: true }))
  })
  const atOld = new WebSocket(`${old.replace('http', 'ws')}/?api_key=${testApiKey}`)
  const ended = new Promise<number>((resolve) => atOld.once('close', resolve))
  await new Promise((resolve) => atOld.once('open', resolve))
  await market.mine(3)
  await untilAtHead([old, updated])

  const { number: lastKnown } = await node.readHead()
  await cluster.indexers[0]!.end()
  await cluster.addIndexer(next.tree)
  await market.mine(4)
  await untilAtHead([updated])
  expect(await ended).toBe(4000)
  const health = await healthOf(old)
  expect(health).toMatchObject({ status: 503, ready: false })
  expect(health!.reasons.join()).toContain('LOG_ENTRY_TOO_NEW')
  // The gateway still serves its last known block, and it is the same process.
  expect(health!.head).toBe(lastKnown)
  expect(cluster.gateways[0]!.lives()).toBe(1)
  const said = cluster.gateways[0]!.stderr()
  expect(said.split('Draining: this gateway').length).toBe(2)

  await node.reorg(2)
  await market.mine(5)
  await untilAtHead([updated])
  const { swaps } = await readChainTrades(node.rpcUrl, node.profile)
  const wanted = swaps.filter(
    ({ tx, tokens }) => tx.block_number > number && tokens.includes(wrapped),
  )
  const ids = wanted.map(({ tx }) => tx.id)
  expect(ids.length).toBeGreaterThan(3)
  for (const { items } of tracks) {
    const isThere = () => items.map(({ id }) => id).join() === ids.join()
    // Ignores a timeout: the expectation below shows what is missing.
    await until('all is there', isThere, 60_000).catch(() => undefined)
    expect(items.map(({ id }) => id)).toEqual(ids)
  }
})
