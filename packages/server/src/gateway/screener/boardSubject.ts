import { type WindowTrading, windowNames } from '../../engine/marketReads.ts'
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
   * False: it has no price, and all is NaN.
   */
  readNow(chain: GatewayChain, id: number, words: WordCodes, to: Float64Array): boolean
  /** Its trading. Gives when that changes though nobody trades. */
  readTrading(chain: GatewayChain, id: number, nowS: number, to: Float64Array): number
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

/** What tokens and pairs have of trading; the last is of 24 hours. */
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
] as const

type TradingReads = {
  lastTradeAtS: number
  window(window: number): WindowTrading
  makers24h(): number
}

/** Fills the columns of `tradingMeasures`, from a column on. */
export function fillTrading(
  { lastTradeAtS, window, makers24h }: TradingReads,
  nowS: number,
  from: number,
  to: Float64Array,
): number {
  const end = from + tradingMeasures.length
  if (lastTradeAtS <= nowS - daySeconds) {
    to.fill(0, from, end)
    return Number.POSITIVE_INFINITY
  }
  let changesAtS = Number.POSITIVE_INFINITY
  for (const [at, name] of windows.entries()) {
    const trading = window(windowNames.indexOf(name))
    const column = from + 3 * at
    to[column] = Number(trading.buyVolumeUsdE8 + trading.sellVolumeUsdE8) / 1e8
    to[column + 1] = finite(trading.changePercent ?? 0)
    to[column + 2] = trading.buyCount + trading.sellCount
    changesAtS = Math.min(changesAtS, trading.changesAtS)
  }
  to[end - 1] = makers24h()
  return changesAtS
}
