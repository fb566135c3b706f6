// The screener over a million tokens: pages of several filters, against a plain scan of the market.

import { windowNames } from '../packages/server/src/engine/marketReads.ts'
import type { GatewayChain } from '../packages/server/src/gateway/chain/gatewayChain.ts'
import {
  type BoardQuery,
  type ColumnRange,
  type RankedRow,
  ScreenerBoard,
} from '../packages/server/src/gateway/lists/board.ts'
import {
  pairBoardSubject,
  pairMeasures,
} from '../packages/server/src/gateway/lists/pairScreener.ts'
import { BoardScan } from '../packages/server/src/gateway/lists/scan/boardScan.ts'
import { zoneRows } from '../packages/server/src/gateway/lists/scan/zones.ts'
import { createScreenerBoards } from '../packages/server/src/gateway/lists/screenerBoards.ts'
import {
  tokenBoardSubject,
  tokenMeasureNames,
} from '../packages/server/src/gateway/lists/tokenMeasures.ts'
import { generatorProfile } from '../test/support/blockGenerator.ts'
import type { BenchTable } from './benchTable.ts'
import { populatedEngine } from './engine.ts'

const pairCount = 1_000_000
const pages = 300
const walks = 3
const limit = 50
const deepPages = 100
const dayWindow = windowNames.indexOf('24h')

const column = (name: (typeof tokenMeasureNames)[number]) => tokenMeasureNames.indexOf(name)
const atLeast = (name: (typeof tokenMeasureNames)[number], min: number): ColumnRange => ({
  column: column(name),
  min,
  max: Number.POSITIVE_INFINITY,
})

const filters: { name: string; sort: (typeof tokenMeasureNames)[number]; ranges: ColumnRange[] }[] =
  [
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

type Took = { cpuMs: number; wallMs: number }

function take(run: () => void): Took {
  const start = process.cpuUsage()
  const startMs = performance.now()
  run()
  const wallMs = performance.now() - startMs
  const { user, system } = process.cpuUsage(start)
  return { cpuMs: (user + system) / 1e3, wallMs }
}

type Times = { p50: number; p99: number; wallP99: number }

function timesOf(count: number, run: () => void): Times {
  const took = Array.from({ length: count }, () => take(run))
  const at = (name: keyof Took, share: number) =>
    took.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(count * share)]!
  return { p50: at('cpuMs', 0.5), p99: at('cpuMs', 0.99), wallP99: at('wallMs', 0.99) }
}

const textOf = ({ p50, p99, wallP99 }: Times) =>
  `${p50.toFixed(2)} / ${p99.toFixed(2)} ms CPU, ${wallP99.toFixed(2)} ms by the clock`

type Asked = { sort: number; ranges?: readonly ColumnRange[]; after?: RankedRow | null }

function pageOf(board: ScreenerBoard, { sort, ranges = [], after = null }: Asked): RankedRow[] {
  const query: BoardQuery = { ranges, column: sort, sign: 1, limit, after }
  const scan = new BoardScan(board, query)
  while (!scan.isOver) scan.step(board.count)
  return scan.rows()
}

function timesOfPage(board: ScreenerBoard, asked: Asked): Times {
  for (let warm = 0; warm < 10; warm += 1) pageOf(board, asked)
  return timesOf(pages, () => pageOf(board, asked))
}

/** The last row of a page far behind the first. */
function deepRow(board: ScreenerBoard, sort: number): RankedRow | null {
  let after: RankedRow | null = null
  for (let page = 0; page < deepPages; page += 1)
    after = pageOf(board, { sort, after }).at(-1) ?? after
  return after
}

export async function runScreenerBench(): Promise<BenchTable> {
  const engine = populatedEngine(generatorProfile, pairCount)
  const nowS = engine.head()!.timeS
  const chain = {
    reads: engine,
    risk: { known: () => null },
    profile: generatorProfile,
  } as unknown as GatewayChain
  const tokens = new ScreenerBoard(chain, tokenBoardSubject)
  const pairs = new ScreenerBoard(chain, pairBoardSubject)
  const readAll = (board: ScreenerBoard) => () => {
    for (let id = 0; id < board.count; id += 1) {
      board.refresh(id, nowS)
      if ((id + 1) % zoneRows === 0) board.tighten(id)
    }
  }
  const reading = ({ name, board }: { name: string; board: ScreenerBoard }): BenchTable['rows'] => {
    const perRow = (ms: number) => `${((ms / board.count) * 1e3).toFixed(2)} µs of CPU each`
    return [
      { metric: `reading ${name} for the first time`, value: perRow(take(readAll(board)).cpuMs) },
      { metric: `reading ${name} again`, value: perRow(take(readAll(board)).cpuMs) },
    ]
  }
  const readings = [
    ...reading({ name: 'tokens', board: tokens }),
    ...reading({ name: 'pairs', board: pairs }),
  ]
  let atS = nowS
  const order = createScreenerBoards({ nowMs: () => atS * 1e3 }).trending(chain)
  const ranking = ['for the first time', 'again, an hour later', 'again, 20 s later'].map(
    (when, at) => {
      atS += [0, 3_600, 20][at]!
      const { cpuMs } = take(() => order.ids())
      const metric = `trending: following ${engine.activePairCount()} traded pairs ${when}`
      return { metric, value: `${cpuMs.toFixed(0)} ms of CPU` }
    },
  )
  const walk = timesOf(walks, () => {
    const found: { tokenId: number; value: number }[] = []
    for (let tokenId = 0; tokenId < tokens.count; tokenId += 1)
      if (engine.tokenWorth(tokenId).priceUsd !== null)
        found.push({ tokenId, value: engine.tokenTrading(tokenId, dayWindow, nowS).buyCount })
    return found.sort((a, b) => b.value - a.value).slice(0, limit)
  })
  const rowOf = (name: string, times: Times) => ({
    metric: `${name}, p50 / p99, p99 by the clock, and the walk against p99`,
    value: `${textOf(times)}, ${Math.round(walk.p50 / times.p99)}x`,
    goal: 'p99 under 10 ms',
  })
  const volume = pairMeasures.findIndex(({ name }) => name === 'volume_24h')
  const liquid = pairMeasures.findIndex(({ name }) => name === 'liquidity')
  const created = pairMeasures.findIndex(({ name }) => name === 'created_at')
  const deep = { column: liquid, min: 10_000, max: Number.POSITIVE_INFINITY }
  const busy = { sort: volume, ranges: [deep] }
  const far = { sort: column('volume_24h'), after: deepRow(tokens, column('volume_24h')) }
  return {
    name: 'screener, 1,000,000 tokens',
    rows: [
      ...filters.map(({ name, sort, ranges }) =>
        rowOf(name, timesOfPage(tokens, { sort: column(sort), ranges })),
      ),
      rowOf(`page ${deepPages + 1} by the volume of a day`, timesOfPage(tokens, far)),
      rowOf('pairs: largest volume of those with liquidity', timesOfPage(pairs, busy)),
      rowOf('pairs: newest', timesOfPage(pairs, { sort: created })),
      {
        metric: 'a plain walk over the market for one window, p50 / p99, p99 by the clock',
        value: textOf(walk),
      },
      ...readings,
      ...ranking,
    ],
  }
}
