// The client's streams over a bad connection, while the service is killed and restarted elsewhere
// and the chain has reorgs: the items minus the retracted ones equal the chain's own logs, in order
// and once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  createTape,
  type Stream,
  type Tape,
  type TapeEvent,
} from '../../packages/client/src/index.ts'
import {
  type ChainTrade,
  type ChainTrades,
  pickTradeFields,
  readChainTrades,
} from '../support/chainTrades.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { type FollowedTrade, type FollowedTrades, followTrades } from '../support/followTrades.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { testApiKey } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const killsMax = process.env.SOAK === undefined ? 10 : 50
// Below the finality depth, so that no final block is replaced.
const reorgDepth = 3
const endIndex = 2_147_483_647

type Track = FollowedTrades & { expected(trades: ChainTrades): ChainTrade[] }

let market: IndexedNode
let line: FaultyProxy
let service: Service
let tape: Tape
const events: TapeEvent[] = []

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'client', blocks: 30 })
  line = await startFaultyProxy({ seed: 3 })
})

afterAll(async () => {
  await tape?.close()
  await line?.close()
  await service?.kill()
  await market?.stop()
})

function follow<item extends FollowedTrade>(
  stream: Stream<item>,
  expected: Track['expected'],
): Track {
  return { ...followTrades(tape, stream), expected }
}

/** Streams of the busiest pairs, of their liquidity, and of a token that all of them trade. */
function followAll({ swaps, liquidity }: ChainTrades, since: string, after: number): Track[] {
  const options = { since, revisions: true }
  const wrapped = market.node.profile.native.wrappedToken
  const newest = (all: readonly ChainTrade[], count: number) =>
    [...new Set(all.map(({ pair }) => pair).reverse())].slice(0, count)
  const isAfter = ({ tx }: ChainTrade) => tx.block_number > after
  return [
    follow(tape.tokenSwaps(`${wrapped}-local`, options), (trades) =>
      trades.swaps.filter((trade) => isAfter(trade) && trade.tokens.includes(wrapped)),
    ),
    ...newest(swaps, 5).map((address) =>
      follow(tape.swaps(`${address}-local`, options), (trades) =>
        trades.swaps.filter((trade) => isAfter(trade) && trade.pair === address),
      ),
    ),
    ...newest(liquidity, 3).map((address) =>
      follow(tape.liquidity(`${address}-local`, options), (trades) =>
        trades.liquidity.filter((trade) => isAfter(trade) && trade.pair === address),
      ),
    ),
  ]
}

async function start(dataDir: string, config: string): Promise<void> {
  service = await startService(dataDir, config)
  line.setTarget(service.ready.address)
}

/**
 * Replaces the newest blocks. Mines a launch first: otherwise the bots would mine the replaced
 * blocks again.
 */
async function replaceBlocks(): Promise<void> {
  await market.node.reorg(reorgDepth)
  await mineLaunch(market.node)
  await market.mine(reorgDepth)
}

/** Replaces blocks whose trades the client has received. */
async function replaceTrades({ items }: Track): Promise<void> {
  const isThere = async () => {
    const { number } = await market.node.readHead()
    return Number(items.at(-1)?.id.split('-')[0]) > number - reorgDepth
  }
  while (!(await isThere())) await market.mine(1)
  await replaceBlocks()
}

test('default: received items equal the logs, whatever happened meanwhile', async () => {
  const { node } = market
  const random = createRandom(11)
  const { dataDir, config } = await market.createConfig()
  await start(dataDir, config)
  tape = createTape({
    url: line.address,
    key: testApiKey,
    WebSocket,
    heartbeatS: 1,
    reconnectMsMax: 200,
  })
  tape.on((event) => events.push(event))
  const { number, hash } = await node.readHead()
  const trades = await readChainTrades(node.rpcUrl, node.profile)
  const tracks = followAll(trades, `${number}-${hash.slice(2, 10)}-${endIndex}`, number)
  const [all] = tracks as [Track]
  for (let kills = 0; kills < killsMax; kills += 1) {
    const wanted = all.items.length + 5 + Math.floor(random() * 20)
    while (all.items.length < wanted) await market.mine(1)
    if (kills % 2 === 1) await replaceTrades(all)
    await market.mine(Math.floor(random() * 3))
    await service.kill()
    await market.mine(2 + Math.floor(random() * 4))
    if (kills % 4 === 2) await replaceBlocks()
    await start(dataDir, config)
  }
  await market.mine(5)
  line.stopFaults()
  const final = await readChainTrades(node.rpcUrl, node.profile)
  for (const { items, expected } of tracks) {
    const logged = expected(final)
    const ids = logged.map(({ tx }) => tx.id)
    const isThere = () => items.map(({ id }) => id).join() === ids.join()
    // Ignores a timeout: the expectation below shows what is missing.
    await until('all is there', isThere).catch(() => undefined)
    expect(items.map(({ id }) => id)).toEqual(ids)
    for (const [at, trade] of logged.entries())
      expect(pickTradeFields(items[at] as never, trade)).toEqual(trade.tx)
  }
  expect(all.items.length).toBeGreaterThan(10 * killsMax)
  const types = events.map(({ type }) => type)
  expect(types.filter((type) => type === 'resumed').length).toBeGreaterThan(killsMax)
  expect(types).toContain('retracted')
  expect(types).not.toContain('gap')
  expect(line.faults.delayed).toBeGreaterThan(0)
  const { dropped, truncated, reordered } = line.faults
  expect(dropped + truncated + reordered).toBeGreaterThan(0)
})
