// How often things happen on the local chain, measured from its own logs.
import { type Address, type Hex, toEventSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createMemoryPipeline } from '../support/memoryPipeline.ts'

type Log = { address: Address; topics: Hex[]; blockNumber: Hex }

/** Half an hour with a block every two seconds, as mined at a start. */
const historyS = 1_800
const stepS = 2

const topics = {
  v2Swap: toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
  v3Swap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  curveTrade: toEventSelector(
    'Trade(address,address,bool,uint256,uint256,uint256,uint256,uint256,uint256)',
  ),
  created: toEventSelector('TokenCreated(address,address,uint256,uint256)'),
  graduated: toEventSelector('Graduated(address,address,uint256,uint256)'),
  v2Mint: toEventSelector('Mint(address,uint256,uint256)'),
  v2Burn: toEventSelector('Burn(address,uint256,uint256,address)'),
  v3Mint: toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)'),
  v3Burn: toEventSelector('Burn(address,int24,int24,uint128,uint256,uint256)'),
}

let node: DevNode
let startS = 0
let endS = 0
let logs: readonly Log[] = []
const timesS = new Map<number, number>()

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: '1' })
  const from = await node.readHead()
  startS = from.timestampS
  endS = startS + historyS
  for (let timeS = startS + stepS; timeS <= endS; timeS += stepS) {
    await node.mineMarket(timeS)
    timesS.set(from.number + timesS.size + 1, timeS)
  }
  logs = (await node.request('eth_getLogs', [
    { fromBlock: `0x${(from.number + 1).toString(16)}`, toBlock: 'latest' },
  ])) as Log[]
})

afterAll(() => node?.stop())

/** Market time of every log whose first topic is one of the given topics. */
function momentsOf(...wanted: Hex[]): number[] {
  return logs
    .filter(({ topics: [topic] }) => wanted.includes(topic!))
    .map(({ blockNumber }) => timesS.get(Number(blockNumber))!)
}

/** Seconds between successive moments, including the gap from the last moment to the end. */
function gapsOf(moments: readonly number[]): number[] {
  return [...moments, endS].map((timeS, i) => timeS - (moments[i - 1] ?? startS))
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

test('behavior: launches happen about every minute', () => {
  const gaps = gapsOf(momentsOf(topics.created))
  expect(medianOf(gaps)).toBeGreaterThanOrEqual(45)
  expect(medianOf(gaps)).toBeLessThanOrEqual(75)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(120)
})

test('behavior: a curve graduates at least every two minutes', () => {
  const gaps = gapsOf(momentsOf(topics.graduated))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(120)
})

test('behavior: liquidity is added or removed at least every 30 seconds', () => {
  const added = momentsOf(topics.v2Mint, topics.v3Mint)
  const removed = momentsOf(topics.v2Burn, topics.v3Burn)
  const gaps = gapsOf([...added, ...removed].sort((a, b) => a - b))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(30)
  expect(added.length).toBeGreaterThan(10)
  expect(removed.length).toBeGreaterThan(10)
})

test('behavior: blocks have several swaps, on every kind of DEX', () => {
  const kinds = [topics.v2Swap, topics.v3Swap, topics.curveTrade]
  const counts = kinds.map((topic) => momentsOf(topic).length)
  const perBlock = new Map<number, number>()
  for (const timeS of momentsOf(...kinds)) perBlock.set(timeS, (perBlock.get(timeS) ?? 0) + 1)
  for (const count of counts) expect(count).toBeGreaterThan(timesS.size / 4)
  expect(
    medianOf([...timesS.values()].map((timeS) => perBlock.get(timeS) ?? 0)),
  ).toBeGreaterThanOrEqual(2)
  expect(node.messages).toEqual([])
})

test('behavior: a main pair changes now and then', async () => {
  const pipeline = createMemoryPipeline({ node })
  await pipeline.follow({ isLive: false })
  const engine = createEngine({ profile: node.profile })
  const events = pipeline.results.flatMap(({ block }) => engine.apply({ type: 'commit', block }))
  pipeline.close()
  const { tokens } = node.deployment
  const listed = new Set(tokens.map(({ address }) => engine.findToken(address)))
  // Launched tokens change their main pair at graduation. Listed tokens change it by liquidity
  // only.
  const changes = events.filter(
    (event): event is Extract<MarketEvent, { type: 'mainPair' }> =>
      event.type === 'mainPair' && !event.isGraduation && listed.has(event.tokenId),
  )
  expect(changes.length).toBeGreaterThanOrEqual(1)
})
