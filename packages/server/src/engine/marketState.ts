import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import { Klines } from './klines/klines.ts'
import { Launches } from './launches.ts'
import { type MarketLimits, marketLimitDefaults } from './marketLimits.ts'
import { OpenQuestions } from './openQuestions.ts'
import type { ImagePart } from './pages/imagePart.ts'
import { MarketMemory, type PagingOptions } from './pages/marketMemory.ts'
import { MainPairs } from './prices/mainPairs.ts'
import { PairDepths } from './prices/pairDepths.ts'
import { Rates } from './prices/rates.ts'
import { Reserves } from './prices/reserves.ts'
import { Catalog } from './search/catalog.ts'
import { createSeriesTable, TokenSeries } from './series/tokenSeries.ts'
import { pairColumns, pairPartWidths } from './tables/pairTable.ts'
import type { RowLog } from './tables/rowLog.ts'
import { largePageDoubles, RowTable } from './tables/rowTable.ts'
import { tokenColumns, tokenPartWidths } from './tables/tokenTable.ts'
import { UndoLog } from './tables/undoLog.ts'
import { ActivePairs } from './windows/activePairs.ts'
import { Windows } from './windows/windows.ts'

/** Options of an engine. Limits may be omitted; see `MarketLimits` for the defaults. */
export type EngineOptions = {
  profile: ChainProfile
  /**
   * Indexes tokens and pairs by address and words. A process that only applies entries needs no
   * index. @default true
   */
  isIndexed?: boolean | undefined
  /** Memory limit, and the file for pages beyond it. @default everything stays in memory */
  paging?: PagingOptions | undefined
} & Partial<MarketLimits>

/**
 * The whole state of one chain's market. Tables undo their changes by saved rows, the catalog by
 * block number.
 */
export class MarketState {
  readonly profile: ChainProfile
  readonly limits: MarketLimits
  readonly undo = new UndoLog()
  readonly memory: MarketMemory
  readonly pairs: RowTable
  readonly tokens: RowTable
  readonly reserves: Reserves
  readonly catalog: Catalog
  readonly rates: Rates
  readonly klines: Klines
  readonly windows: Windows
  readonly series: TokenSeries
  readonly mainPairs: MainPairs
  readonly launches: Launches
  readonly depths: PairDepths
  readonly questions: OpenQuestions
  head: BlockRef | null = null
  finalizedNumber = -1
  /** Number of blocks since the first one, skipped block numbers included. */
  height = 0
  /** Time since which main pairs are recorded; 0 if since the first block. */
  mainPairsFromS = 0
  /** Block time that never decreases, although the chain's own may. */
  timeS = 0

  constructor(options: EngineOptions) {
    const { profile, isIndexed = true, paging, ...limits } = options
    this.profile = profile
    this.limits = { ...marketLimitDefaults, ...limits }
    const { undo } = this
    this.memory = new MarketMemory(paging)
    this.pairs = new RowTable(undo, {
      name: 'pairs',
      columns: pairColumns,
      parts: pairPartWidths,
      pageDoubles: largePageDoubles,
      isPaged: true,
    })
    this.tokens = new RowTable(undo, {
      name: 'tokens',
      columns: tokenColumns,
      parts: tokenPartWidths,
      pageDoubles: largePageDoubles,
      isPaged: true,
    })
    this.reserves = new Reserves(undo, this.pairs)
    this.catalog = new Catalog(profile, { isIndexed, memory: this.memory })
    const { pairs, tokens, catalog } = this
    const active = new ActivePairs(undo)
    this.rates = new Rates(undo, { profile, catalog, pairs, tokens, active })
    const series = createSeriesTable(undo)
    this.klines = new Klines(undo, { pairs, tokens, series })
    this.windows = new Windows(undo, { pairs, active, makersExactMax: this.limits.makersExactMax })
    const { klines, windows } = this
    this.series = new TokenSeries(undo, { series, pairs, tokens, klines, windows })
    this.depths = new PairDepths({
      catalog,
      pairs,
      tokens,
      memory: this.memory,
      pairsMax: this.limits.tokenPairsReadMax,
    })
    this.launches = new Launches(undo, { tokens, almostPpm: this.limits.almostPpm })
    this.questions = new OpenQuestions(this)
    this.mainPairs = new MainPairs(undo, {
      catalog,
      pairs,
      tokens,
      active,
      rates: this.rates,
      series: this.series,
      limits: this.limits,
    })
    for (const { name, pages, isPaged } of this.tables()) if (isPaged) this.memory.add(name, pages)
  }

  /** All row tables; a snapshot finds them by name. */
  tables(): readonly RowTable[] {
    const { windows } = this
    return [
      this.pairs,
      this.reserves.wide,
      this.tokens,
      this.rates.rows,
      this.klines.rows,
      windows.wallets.slots,
      windows.wallets.heads,
      windows.roundTrips.heads,
      windows.active.rows,
      windows.quoteSides.rows,
      this.launches.rows,
      this.series.rows,
      this.series.periods,
    ]
  }

  /** All parts that an image stores in addition to rows. */
  imageParts(): readonly ImagePart[] {
    return [...this.catalog.imageParts(), this.depths, this.questions]
  }

  /** All logs of rows; a snapshot finds them by name. */
  logs(): readonly RowLog[] {
    const { windows } = this
    return [
      ...this.klines.queues,
      windows.fine.rows,
      windows.minutes.rows,
      windows.roundTrips.trades,
      this.mainPairs.challenges,
      ...this.mainPairs.reviews.lists,
    ]
  }
}
