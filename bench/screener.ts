// The screener over a million tokens: pages of several filters, and a plain walk over the market beside them.

import { windowNames } from '../packages/server/src/engine/marketReads.ts'
import type { GatewayChain } from '../packages/server/src/gateway/gatewayChain.ts'
import { measureNames } from '../packages/server/src/gateway/screener/measures.ts'
import {
  type Range,
  Selection,
  TokenBoard,
} from '../packages/server/src/gateway/screener/tokenBoard.ts'
import { generatorProfile } from '../test/support/blockGenerator.ts'
import type { BenchTable } from './benchTable.ts'
import { populatedEngine } from './engine.ts'

const pairCount = 1_000_000
const pages = 300
const walks = 3
const limit = 50
const dayWindow = windowNames.indexOf('24h')

const column = (name: (typeof measureNames)[number]) => measureNames.indexOf(name)
const atLeast = (name: (typeof measureNames)[number], min: number): Range => ({
  ...{ column: column(name), min, max: Number.POSITIVE_INFINITY },
})

const filters: { name: string; sort: (typeof measureNames)[number]; ranges: Range[] }[] = [
  { name: 'largest volume of a day', sort: 'volume_24h', ranges: [] },
  {
    name: 'largest change of those with liquidity and trades',
    sort: 'change_24h',
    ranges: [atLeast('liquidity', 10_000), atLeast('trades_24h', 5)],
  },
  {
    name: 'newest of those that nobody is',
    sort: 'created_at',
    ranges: [atLeast('market_cap', 1e18), atLeast('makers_24h', 1e6)],
  },
]

function cpuMs(run: () => void): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e3
}

function percentiles(count: number, run: () => void): string {
  const times = Array.from({ length: count }, () => cpuMs(run)).sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(count * share)]!.toFixed(2)
  return `${at(0.5)} / ${at(0.99)} ms CPU`
}

export async function runScreenerBench(): Promise<BenchTable> {
  const engine = populatedEngine(generatorProfile, pairCount)
  const nowS = engine.head()!.timeS
  const chain = { reads: engine, risk: { known: () => null }, profile: generatorProfile }
  const board = new TokenBoard(chain as unknown as GatewayChain)
  const count = engine.tokenCount()
  const readAll = () => {
    for (let tokenId = 0; tokenId < count; tokenId += 1) board.refresh(tokenId, nowS)
  }
  const firstMs = cpuMs(readAll)
  const againMs = cpuMs(readAll)
  const rows: BenchTable['rows'] = []
  const page = (sort: number, ranges: readonly Range[]) => {
    const selection = new Selection({ ranges, column: sort, sign: 1, limit, after: null })
    board.scan(selection, 0, count)
    return selection.largest()
  }
  for (const { name, sort, ranges } of filters) {
    for (let warm = 0; warm < 10; warm += 1) page(column(sort), ranges)
    const value = percentiles(pages, () => page(column(sort), ranges))
    rows.push({ metric: `${name}, p50 / p99`, value, goal: 'p99 under 10 ms' })
  }
  const walk = () => {
    const found: { tokenId: number; value: number }[] = []
    for (let tokenId = 0; tokenId < count; tokenId += 1)
      if (engine.tokenWorth(tokenId).priceUsd !== null)
        found.push({ tokenId, value: engine.tokenTrading(tokenId, dayWindow, nowS).buyCount })
    return found.sort((a, b) => b.value - a.value).slice(0, limit)
  }
  rows.push({
    metric: 'a plain walk over the market for one window, p50 / p99',
    value: percentiles(walks, walk),
  })
  const perToken = (ms: number) => `${((ms / count) * 1e3).toFixed(2)} µs of CPU a token`
  rows.push({ metric: 'reading a market for the first time', value: perToken(firstMs) })
  rows.push({ metric: 'reading it again', value: perToken(againMs) })
  return { name: 'screener, 1,000,000 tokens', rows }
}
