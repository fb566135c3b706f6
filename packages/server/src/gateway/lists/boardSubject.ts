import {
  type MarketWindow,
  type WindowTrading,
  windowNames,
  windowsS,
} from '../../engine/marketReads.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { finiteOrZero } from '../rows/tokenRow.ts'

/** A figure that clients can filter and sort rows by. */
export type Measure = { name: string; description: string }

/** What a board has rows of: tokens or pairs, by id. A measure's index is its column. */
export type BoardSubject = {
  measures: readonly Measure[]
  /** Number of columns of the board: one per measure, then columns for filters only. */
  columnCount: number
  /** Range of the board's columns that only trades change. */
  tradingColumns: { from: number; to: number }
  count(chain: GatewayChain): number
  lastTradeBlock(chain: GatewayChain, id: number): number
  /**
   * Reads the columns that any block may change. NaN: not applicable or unknown, so filters and
   * sorting by the column exclude the row. Returns false, with all columns NaN, for rows that no
   * list shows.
   */
  readCurrent(chain: GatewayChain, id: number, words: WordCodes, to: Float64Array): boolean
  /**
   * Reads the trading columns of a row. Returns the unix seconds at which the passing of time
   * changes them.
   */
  readTrading(chain: GatewayChain, id: number, nowS: number, to: Float64Array): number
  /**
   * A column computed for traded rows from a trading column, the row's start time (column 0) and
   * the current time.
   */
  scored?: {
    column: number
    interest: number
    of(interest: number, beganAtS: number, nowS: number): number
  }
}

/**
 * Converts rows' ids to addresses and back. Cursors use addresses, because ids may change after a
 * reorg.
 */
export type RowAddresses = {
  addressOf(chain: GatewayChain, id: number): string
  findId(chain: GatewayChain, address: string): number | undefined
}

/**
 * Assigns numbers to words in the order of first use, so that words can be compared as column
 * values.
 */
export class WordCodes {
  readonly #codes = new Map<string, number>()

  /** Returns the code of a word, assigning a code to a new word. */
  codeOf(word: string): number {
    const known = this.#codes.get(word)
    if (known !== undefined) return known
    this.#codes.set(word, this.#codes.size)
    return this.#codes.size - 1
  }

  /** Returns the code of a word; undefined when no row has the word. */
  findCode(word: string): number | undefined {
    return this.#codes.get(word)
  }
}

const windows = ['5m', '1h', '4h', '24h'] as const
const daySeconds = 86_400

/** Trading measures common to tokens and pairs. The last window is 24 hours. */
export const tradingMeasures = [
  ...windows.flatMap(
    (name) =>
      [
        { name: `volume_${name}`, description: `USD traded in ${name}.` },
        { name: `change_${name}`, description: `Change of its price in ${name}, percent.` },
        { name: `trades_${name}`, description: `Trades in ${name}.` },
      ] as const,
  ),
  { name: 'makers_24h', description: 'Wallets that traded it in 24h.' },
  {
    name: 'organic_24h',
    description: 'USD traded in 24h without what a wallet traded back within a minute.',
  },
] as const

type TradingReads = {
  lastTradeAtS: number
  window(window: number): WindowTrading
  /** Reads the longest trading window, 24 hours. */
  day(): MarketWindow
}

/**
 * Fills the columns of `tradingMeasures`, starting at column `from`. Returns when time alone
 * changes them.
 */
export function readTradingMeasures(
  { lastTradeAtS, window, day: readDay }: TradingReads,
  nowS: number,
  from: number,
  to: Float64Array,
): number {
  to.fill(0, from, from + tradingMeasures.length)
  if (lastTradeAtS <= nowS - daySeconds) return Number.POSITIVE_INFINITY
  const day = readDay()
  let { changesAtS } = day
  for (const [at, name] of windows.entries()) {
    const index = windowNames.indexOf(name)
    // Skips windows that began after the last trade: most rows traded within a day have no trade in
    // the shorter windows.
    if (lastTradeAtS <= nowS - windowsS[index]!) continue
    const trading = name === '24h' ? day : window(index)
    const column = from + 3 * at
    to[column] = Number(trading.buyVolumeUsdE8 + trading.sellVolumeUsdE8) / 1e8
    to[column + 1] = finiteOrZero(trading.changePercent ?? 0)
    to[column + 2] = trading.buyCount + trading.sellCount
    changesAtS = Math.min(changesAtS, trading.changesAtS)
  }
  const end = from + tradingMeasures.length
  to[end - 2] = day.makers
  to[end - 1] = Number(day.organicVolumeUsdE8) / 1e8
  return changesAtS
}
