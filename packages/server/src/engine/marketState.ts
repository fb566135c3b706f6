import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import { Catalog } from './catalog.ts'
import { Klines } from './klines.ts'
import { Launches } from './launches.ts'
import { MainPairs } from './mainPairs.ts'
import { type MarketLimits, marketLimitDefaults } from './marketLimits.ts'
import { pairBigs, pairColumns } from './pairTable.ts'
import { Rates } from './rates.ts'
import { RowTable } from './rowTable.ts'
import { tokenColumns } from './tokenTable.ts'
import { UndoLog } from './undoLog.ts'
import { Windows } from './windows.ts'

/** The limits may be left out; see `MarketLimits` for the defaults. */
export type EngineOptions = { profile: ChainProfile } & Partial<MarketLimits>

/** Everything the engine knows of its market. Tables undo themselves; the catalog by block number. */
export class MarketState {
  readonly profile: ChainProfile
  readonly limits: MarketLimits
  readonly undo = new UndoLog()
  readonly pairs: RowTable
  readonly tokens: RowTable
  readonly catalog: Catalog
  readonly rates: Rates
  readonly klines: Klines
  readonly windows: Windows
  readonly mainPairs: MainPairs
  readonly launches: Launches
  head: BlockRef | null = null
  finalizedNumber = -1
  /** Blocks applied and not taken back; the age of a main pair's challenger is counted in it. */
  height = 0
  /** Block time that never goes back, though a chain's clock may. */
  timeS = 0

  constructor(options: EngineOptions) {
    const { profile, ...limits } = options
    this.profile = profile
    this.limits = { ...marketLimitDefaults, ...limits }
    const { undo } = this
    this.pairs = new RowTable(undo, pairColumns, pairBigs)
    this.tokens = new RowTable(undo, tokenColumns)
    this.catalog = new Catalog(profile)
    const { pairs, tokens, catalog } = this
    this.rates = new Rates(undo, { profile, catalog, pairs, tokens })
    this.klines = new Klines(undo, pairs)
    this.windows = new Windows(undo, pairs, this.limits)
    this.launches = new Launches(undo, { tokens, almostPpm: this.limits.almostPpm })
    this.mainPairs = new MainPairs(undo, {
      catalog,
      pairs,
      tokens,
      rates: this.rates,
      limits: this.limits,
    })
  }

  /** Every row table, in the order of a snapshot. */
  tables(): readonly RowTable[] {
    const { windows, klines } = this
    return [
      this.pairs,
      this.tokens,
      this.rates.rows,
      ...klines.tables,
      ...klines.queues.map((queue) => queue.rows),
      windows.fine.rows,
      windows.minutes.rows,
      windows.makers.slots,
      windows.makers.heads,
      windows.roundTrips.slots,
      windows.roundTrips.trades,
      windows.active,
      this.mainPairs.due.rows,
      this.launches.rows,
    ]
  }
}
