import type { EndedKlineBuffer } from '../klines/klineRows.ts'
import type { Klines } from '../klines/klines.ts'
import { pairColumn, seriesColumn, seriesColumns } from '../tables/pairTable.ts'
import { columnNames, RowTable } from '../tables/rowTable.ts'
import { tokenColumn, tokenPart } from '../tables/tokenTable.ts'
import { createTrade, type Trade } from '../tables/trade.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import { noOwner, updateClose, type Windows } from '../windows/windows.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn
const S = seriesColumn
const T = tokenColumn

const periodColumn = { pair: 0, height: 1, previous: 2 } as const
const periodColumns = columnNames(periodColumn)

type SeriesTables = {
  series: RowTable
  pairs: RowTable
  tokens: RowTable
  klines: Klines
  windows: Windows
}

export function createSeriesTable(undo: UndoLog): RowTable {
  return new RowTable(undo, { name: 'tokenSeries', columns: seriesColumns, isPaged: true })
}

/** A pair was the token's main pair from this block height on; 0 for the first main pair. */
export type MainPairPeriod = { pairId: number; fromHeight: number }

/**
 * Price series of tokens whose main pair changed, and of quote assets that no pair has as its
 * target. A token with a single main pair uses that pair's prices and has no row here.
 * A series starts with the prices of the old main pair and continues with trades of the new one.
 * The prices are copied only when one of the two pairs trades again: until then the old pair has
 * the same prices, and the time of that trade does not depend on which empty blocks were read.
 * Closed buckets are not copied; the list of buckets continues from the old pair's.
 */
export class TokenSeries {
  readonly rows: RowTable
  /**
   * Main-pair periods of all tokens. `period` of a series is its newest row; each row links to the
   * one before.
   */
  readonly periods: RowTable
  readonly #tables: SeriesTables
  /** The current trade from the view of the series, reused for every trade. */
  readonly #seriesTrade = createTrade()

  constructor(undo: UndoLog, tables: SeriesTables) {
    this.#tables = tables
    this.rows = tables.series
    this.periods = new RowTable(undo, {
      name: 'mainPairPeriods',
      columns: periodColumns,
      isPaged: true,
    })
  }

  /**
   * Row of the pair reported as a token's main pair; 0 if none exists. Prices only come from
   * pairs whose target is the token.
   */
  mainPairOf(tokenId: number): number {
    const { tokens } = this.#tables
    const token = tokens.page(tokenId + 1)
    const at = tokens.at(tokenId + 1)
    const main = token[at + T.mainPair]!
    const row = token[at + T.series]!
    return main !== 0 || row === 0 ? main : this.rows.page(row)[this.rows.at(row) + S.pair]!
  }

  /** Records that another pair becomes the token's main pair. */
  switchMainPair(tokenRow: number, oldPairRow: number, pairRow: number, height: number): void {
    const { tokens } = this.#tables
    let row = tokens.page(tokenRow)[tokens.at(tokenRow) + T.series]!
    if (row === 0) {
      row = this.#addSeries(tokenRow)
      this.rows.page(row)[this.rows.at(row) + S.source] = oldPairRow
      if (oldPairRow !== 0) this.#addPeriod(row, oldPairRow, 0)
    } else this.rows.save(row)
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    page[at + S.pair] = pairRow
    page[at + S.isQuote] = 0
    this.#addPeriod(row, pairRow, height)
  }

  /**
   * Sets the pair that provides the klines of a quote asset, which is the pair's quote. Returns the
   * row of the previous pair; 0 if there was none.
   */
  setQuotePair(tokenRow: number, pairRow: number, height: number): number {
    const { tokens } = this.#tables
    let row = tokens.page(tokenRow)[tokens.at(tokenRow) + T.series]!
    if (row === 0) row = this.#addSeries(tokenRow)
    else this.rows.save(row)
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    const old = page[at + S.pair]!
    page[at + S.pair] = pairRow
    page[at + S.isQuote] = 1
    this.#addPeriod(row, pairRow, old === 0 ? 0 : height)
    return old
  }

  /**
   * Must be called before the trade is counted on its pair. `row` is the series of one of the
   * pair's tokens.
   */
  addTrade(
    row: number,
    trade: Readonly<Trade>,
    quoteNative: number,
    ended: EndedKlineBuffer,
  ): void {
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    const { pairRow } = trade
    const source = page[at + S.source]!
    const isNext = page[at + S.pair] === pairRow
    if (source !== 0 && page[at + S.sinceS] === 0 && (isNext || source === pairRow))
      this.#copyFromSource(page, at, row, source, trade)
    if (!isNext) return
    const seriesTrade = this.#seriesTrade
    seriesTrade.isFirst = page[at + P.tradedBlock] !== trade.block
    if (seriesTrade.isFirst) {
      this.rows.save(row)
      page[at + P.tradedBlock] = trade.block
    }
    const isQuote = page[at + S.isQuote] === 1
    seriesTrade.timeS = trade.timeS
    seriesTrade.minuteBucket = trade.minuteBucket
    seriesTrade.fineBucket = trade.fineBucket
    seriesTrade.usdE8 = trade.usdE8
    seriesTrade.native = trade.native
    seriesTrade.priceUsd = isQuote ? trade.quoteUsd : trade.priceUsd
    seriesTrade.priceNative = isQuote ? quoteNative : trade.priceNative
    seriesTrade.pairRow = klineOwner(page[at + S.token]!)
    this.#tables.klines.trade(page, at, seriesTrade, ended)
    if (!isQuote) {
      // Volumes are counted on the pairs, so buckets of a series have no owner.
      seriesTrade.pairRow = noOwner
      this.#tables.windows.addPrice(page, at, seriesTrade)
    }
    updateClose(page, at, seriesTrade)
    if (seriesTrade.priceNative !== 0) page[at + P.closeNative] = seriesTrade.priceNative
    if (seriesTrade.priceUsd > page[at + P.athUsd]!) page[at + P.athUsd] = seriesTrade.priceUsd
  }

  /** Row of the pair whose prices the series still uses; 0 if the series has its own. */
  pendingSource(row: number): number {
    const page = this.rows.page(row)
    const at = this.rows.at(row)
    return page[at + S.sinceS] === 0 ? page[at + S.source]! : 0
  }

  /** The newest `max` main-pair periods of a series, oldest first. */
  periodsOf(row: number, max: number): MainPairPeriod[] {
    const found: MainPairPeriod[] = []
    let period = this.rows.page(row)[this.rows.at(row) + S.period]!
    while (period !== 0 && found.length < max) {
      const page = this.periods.page(period)
      const at = this.periods.at(period)
      found.push({
        pairId: page[at + periodColumn.pair]! - 1,
        fromHeight: page[at + periodColumn.height]!,
      })
      period = page[at + periodColumn.previous]!
    }
    return found.reverse()
  }

  #addSeries(tokenRow: number): number {
    const { tokens } = this.#tables
    const row = this.rows.alloc()
    this.rows.page(row)[this.rows.at(row) + S.token] = tokenRow
    tokens.save(tokenRow, tokenPart.facts)
    tokens.page(tokenRow)[tokens.at(tokenRow) + T.series] = row
    return row
  }

  #addPeriod(row: number, pairRow: number, height: number): void {
    const period = this.periods.alloc()
    const page = this.periods.page(period)
    const at = this.periods.at(period)
    const series = this.rows.page(row)
    const seriesAt = this.rows.at(row)
    page[at + periodColumn.pair] = pairRow
    page[at + periodColumn.height] = height
    page[at + periodColumn.previous] = series[seriesAt + S.period]!
    series[seriesAt + S.period] = period
  }

  /** Copies prices, open klines and window buckets of the old main pair to the series. */
  #copyFromSource(
    page: Float64Array,
    at: number,
    row: number,
    source: number,
    trade: Readonly<Trade>,
  ): void {
    const { pairs, klines, windows } = this.#tables
    const pair = pairs.page(source)
    const from = pairs.at(source)
    this.rows.save(row)
    page[at + S.sinceS] = trade.timeS
    for (let column = P.closeUsd; column <= P.lastTradeAtS; column += 1)
      page[at + column] = pair[from + column]!
    page[at + P.kline] = klines.copyOpenKlines(
      pair[from + P.kline]!,
      klineOwner(page[at + S.token]!),
    )
    windows.continuePrices(page, at, pair, from, trade)
  }
}

/**
 * Owner number of a token's klines, used where klines of pairs have a row number; its id form is
 * `seriesKlineId`.
 */
function klineOwner(tokenRow: number): number {
  return 1 - tokenRow
}
