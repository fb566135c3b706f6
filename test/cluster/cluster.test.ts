// A service in several processes, under faults. Whatever is killed, stopped or cut off: every
// client receives what the chain's own logs say, in order and once; every gateway answers the same;
// and the stored data equals that of a run without faults. CLUSTER_MINUTES=15 runs that long with
// more clients. CLUSTER_SEED picks another sequence of faults; a failed run prints its seed.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTape, type Tape, type TapeEvent } from '../../packages/client/src/index.ts'
import { type ChainTrade, pickTradeFields, readChainTrades } from '../support/chainTrades.ts'
import { type FollowedTrades, followTrades } from '../support/followTrades.ts'
import { rewriteEntriesToThisVersion } from '../support/nextBuild.ts'
import { testApiKey } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { readStoredFrom } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'
import { startWorld, untilAtHead, type World } from './clusterWorld.ts'
import { faults } from './faults.ts'

const minutes = Number(process.env.CLUSTER_MINUTES ?? 0)
const seed = Number(process.env.CLUSTER_SEED ?? 16)
const isLong = minutes > 0
const clientCount = isLong ? 200 : 12
const endIndex = 2_147_483_647

let world: World
const tapes: Tape[] = []
/** Faults so far, printed when the test fails. */
const pastFaults: string[] = []

beforeAll(async () => {
  world = await startWorld(`cluster ${seed}`)
})

afterAll(async () => {
  await Promise.all(tapes.map((tape) => tape.close()))
  await world?.stop()
})

async function get(address: string, url: string): Promise<string> {
  const response = await fetch(`${address}${url}`, { headers: { 'X-API-KEY': testApiKey } })
  const text = await response.text()
  expect(response.status, `${url}: ${text}`).toBe(200)
  return text
}

type Track = FollowedTrades & { pair: string | null }

async function openClients(): Promise<{ tracks: Track[]; after: number; events: TapeEvent[] }> {
  const { node } = world.market
  const { number, hash } = await node.readHead()
  const { swaps } = await readChainTrades(node.rpcUrl, node.profile)
  const busy = [...new Set(swaps.map(({ pair }) => pair).reverse())].slice(0, 4)
  const options = { since: `${number}-${hash.slice(2, 10)}-${endIndex}`, revisions: true }
  const events: TapeEvent[] = []
  const tracks: Track[] = []
  const wrapped = `${node.profile.native.wrappedToken}-local`
  for (let index = 0; index < clientCount; index += 1) {
    const tape = createTape({
      url: world.cluster.balancer.address,
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

/** Runs all faults in a random order by the seed, and repeats while there is time. */
async function runFaults(): Promise<{ count: number; takeoversMs: number[] }> {
  const random = createRandom(seed)
  const pick = (count: number) => Math.floor(random() * count)
  const takeoversMs: number[] = []
  const endMs = performance.now() + minutes * 60_000
  let count = 0
  let isFirst = true
  do {
    const left = faults.filter(({ isOnce = false }) => isFirst || !isOnce)
    isFirst = false
    while (left.length > 0) {
      const [fault] = left.splice(pick(left.length), 1)
      const startMs = performance.now()
      pastFaults.push(`${new Date().toISOString()} ${fault!.name}`)
      await fault!.run(world, pick)
      count += 1
      await world.market.mine(1 + pick(4))
      if (fault!.isOfLeader) {
        await untilAtHead(world)
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
  // `to_time` is removed: each gateway was asked at another time.
  for (const url of urls)
    answers.push(`${url} ${(await get(address, url)).replace(/"to_time":\d+/, '')}`)
  return answers
}

const printedLines = 40

/** Prints the seed, the faults and the last log lines of each process. */
function printFaults(): void {
  const { cluster } = world
  const said = [...cluster.indexers, ...cluster.gateways].map(({ role, address, stderr }) => {
    const lines = stderr().trim().split('\n').slice(-printedLines)
    return [`${role} ${address}`, ...lines].join('\n')
  })
  process.stdout.write(`CLUSTER_SEED=${seed}\n${[...pastFaults, ...said].join('\n')}\n`)
}

test('default: clients, gateways and store end as if no fault had happened', {
  timeout: 600_000 + minutes * 60_000,
}, async () => {
  onTestFailed(printFaults)
  await untilAtHead(world)
  const { tracks, after, events } = await openClients()
  await world.market.mine(5)
  const { count, takeoversMs } = await runFaults()
  const { cluster, market, postgres, indexers, gateways } = world
  for (const { clock } of [...indexers, ...gateways]) await clock.jump(0)
  await market.mine(20)
  await untilAtHead(world)

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
    // Ignores a timeout: the expectation below shows what is missing.
    await until('all is there', isThere, 60_000).catch(() => undefined)
    expect(items.map(({ id }) => id)).toEqual(ids)
    for (const [at, trade] of logged.entries())
      expect(pickTradeFields(items[at] as never, trade)).toEqual(trade.tx)
  }
  expect(tracks[0]!.items.length).toBeGreaterThan(20)
  expect(events.map(({ type }) => type)).not.toContain('gap')

  const answers = await Promise.all(
    cluster.gateways.map(({ address }) => answersOf(address, final.pairs.slice(0, 8))),
  )
  for (const other of answers.slice(1)) expect(other).toEqual(answers[0])

  await rewriteEntriesToThisVersion(postgres.primary.connection)
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
