import {
  type MarketWindow,
  type WindowTrading,
  windowNames,
  windowsS,
} from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { finite } from '../rows/tokenRow.ts'

/** A number that rows are selected and ordered by. */
export type Measure = { name: string; description: string }

/** What a board is of: tokens or pairs, by their ids. The position of a measure is its column. */
export type BoardSubject = {
  measures: readonly Measure[]
  /** Measures, and behind them those that are no numbers to be ordered by. */
  columnCount: number
  /** What trades alone change. */
  tradingColumns: { from: number; to: number }
  count(chain: GatewayChain): number
  lastTradeBlock(chain: GatewayChain, id: number): number
  /**
   * What every block may change. NaN: there is none or it is not known, so that the row is neither selected nor ordered by it.
   * False: nothing lists it, and all is NaN.
   */
  readNow(chain: GatewayChain, id: number, words: WordCodes, to: Float64Array): boolean
  /** Its trading. Gives when that changes though nobody trades. */
  readTrading(chain: GatewayChain, id: number, nowS: number, to: Float64Array): number
  /** A column of traded rows that follows from a column of trading, from when a row began (the first column) and from time. */
  scored?: {
    column: number
    interest: number
    of(interest: number, beganAtS: number, nowS: number): number
  }
}

/** How rows are called where their ids say nothing. */
export type RowNames = {
  addressOf(chain: GatewayChain, id: number): string
  findId(chain: GatewayChain, address: string): number | undefined
}

/** Words that are compared as numbers: each has its place in the order in which they were seen. */
export class WordCodes {
  private readonly codes = new Map<string, number>()

  /** Of a word that may be new. */
  of(word: string): number {
    const known = this.codes.get(word)
    if (known !== undefined) return known
    this.codes.set(word, this.codes.size)
    return this.codes.size - 1
  }

  /** Undefined: no row has it. */
  find(word: string): number | undefined {
    return this.codes.get(word)
  }
}

const windows = ['5m', '1h', '4h', '24h'] as const
const daySeconds = 86_400

/** Trading measures of tokens and pairs; the last window is of 24 hours. */
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
  /** The longest window. */
  day(): MarketWindow
}

/** Fills the columns of `tradingMeasures`, from a column on. */
export function fillTrading(
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
    // Most of what was traded in a day was not in the shorter windows: nothing of these is read then.
    if (lastTradeAtS <= nowS - windowsS[index]!) continue
    const trading = name === '24h' ? day : window(index)
    const column = from + 3 * at
    to[column] = Number(trading.buyVolumeUsdE8 + trading.sellVolumeUsdE8) / 1e8
    to[column + 1] = finite(trading.changePercent ?? 0)
    to[column + 2] = trading.buyCount + trading.sellCount
    changesAtS = Math.min(changesAtS, trading.changesAtS)
  }
  const end = from + tradingMeasures.length
  to[end - 2] = day.makers
  to[end - 1] = Number(day.organicVolumeUsdE8) / 1e8
  return changesAtS
}
