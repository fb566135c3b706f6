// The screener over a million tokens: pages of several filters, and a plain walk over the market beside them.

import { windowNames } from '../packages/server/src/engine/marketReads.ts'
import type { GatewayChain } from '../packages/server/src/gateway/gatewayChain.ts'
import {
  Board,
  type BoardQuery,
  type Range,
  Selection,
} from '../packages/server/src/gateway/screener/board.ts'
import { pairMeasures, pairSubject } from '../packages/server/src/gateway/screener/pairMeasures.ts'
import { planScan } from '../packages/server/src/gateway/screener/scanPlan.ts'
import {
  measureNames,
  tokenSubject,
} from '../packages/server/src/gateway/screener/tokenMeasures.ts'
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
  column: column(name),
  min,
  max: Number.POSITIVE_INFINITY,
})

const filters: { name: string; sort: (typeof measureNames)[number]; ranges: Range[] }[] = [
  { name: 'largest volume of a day', sort: 'volume_24h', ranges: [] },
  {
    name: 'largest change of those with liquidity and trades',
    sort: 'change_24h',
    ranges: [atLeast('liquidity', 10_000), atLeast('trades_24h', 5)],
  },
  { name: 'newest', sort: 'created_at', ranges: [] },
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

type Times = { p50: number; p99: number }

function timesOf(count: number, run: () => void): Times {
  const times = Array.from({ length: count }, () => cpuMs(run)).sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(count * share)]!
  return { p50: at(0.5), p99: at(0.99) }
}

const textOf = ({ p50, p99 }: Times) => `${p50.toFixed(2)} / ${p99.toFixed(2)} ms CPU`

function timesOfPage(board: Board, sort: number, ranges: readonly Range[]): Times {
  const page = () => {
    const query: BoardQuery = { ranges, column: sort, sign: 1, limit, after: null }
    const selection = new Selection(query, planScan(board, query))
    board.scan(selection, 0, board.count)
    return selection.largest()
  }
  for (let warm = 0; warm < 10; warm += 1) page()
  return timesOf(pages, page)
}

export async function runScreenerBench(): Promise<BenchTable> {
  const engine = populatedEngine(generatorProfile, pairCount)
  const nowS = engine.head()!.timeS
  const chain = {
    reads: engine,
    risk: { known: () => null },
    profile: generatorProfile,
  } as unknown as GatewayChain
  const tokens = new Board(chain, tokenSubject)
  const pairs = new Board(chain, pairSubject)
  const readAll = (board: Board) => () => {
    for (let id = 0; id < board.count; id += 1) board.refresh(id, nowS)
  }
  const reading = ({ name, board }: { name: string; board: Board }): BenchTable['rows'] => {
    const perRow = (ms: number) => `${((ms / board.count) * 1e3).toFixed(2)} µs of CPU each`
    return [
      { metric: `reading ${name} for the first time`, value: perRow(cpuMs(readAll(board))) },
      { metric: `reading ${name} again`, value: perRow(cpuMs(readAll(board))) },
    ]
  }
  const readings = [
    ...reading({ name: 'tokens', board: tokens }),
    ...reading({ name: 'pairs', board: pairs }),
  ]
  const walk = timesOf(walks, () => {
    const found: { tokenId: number; value: number }[] = []
    for (let tokenId = 0; tokenId < tokens.count; tokenId += 1)
      if (engine.tokenWorth(tokenId).priceUsd !== null)
        found.push({ tokenId, value: engine.tokenTrading(tokenId, dayWindow, nowS).buyCount })
    return found.sort((a, b) => b.value - a.value).slice(0, limit)
  })
  const rowOf = (name: string, times: Times) => ({
    metric: `${name}, p50 / p99, and the walk against p99`,
    value: `${textOf(times)}, ${Math.round(walk.p50 / times.p99)}x`,
    goal: 'p99 under 10 ms',
  })
  const volume = pairMeasures.findIndex(({ name }) => name === 'volume_24h')
  const liquid = pairMeasures.findIndex(({ name }) => name === 'liquidity')
  const created = pairMeasures.findIndex(({ name }) => name === 'created_at')
  const deep = { column: liquid, min: 10_000, max: Number.POSITIVE_INFINITY }
  return {
    name: 'screener, 1,000,000 tokens',
    rows: [
      ...filters.map(({ name, sort, ranges }) =>
        rowOf(name, timesOfPage(tokens, column(sort), ranges)),
      ),
      rowOf('pairs: largest volume of those with liquidity', timesOfPage(pairs, volume, [deep])),
      rowOf('pairs: newest', timesOfPage(pairs, created, [])),
      { metric: 'a plain walk over the market for one window, p50 / p99', value: textOf(walk) },
      ...readings,
    ],
  }
}
