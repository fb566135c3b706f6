import { sumNames } from '../windows/buckets.ts'
import { columnNames } from './columnNames.ts'

/** Parts of a pair's row that are saved apart: what an event changes, what windows change, the rest. */
export const pairPart = { market: 0, window: 1, facts: 2 } as const

/** Columns of a pair's row; the row is its id + 1. Prices are of the target token, 0 without one. */
export const pairColumn = {
  priceRaw: 0,
  /** Target token in whole quote tokens. */
  price: 1,
  /** `price` as the block of `touchedHeight` found it. */
  startPrice: 2,
  touchedHeight: 3,
  /** Raw reserves rounded to doubles; the exact ones follow. */
  reserve0: 4,
  reserve1: 5,
  reserve0Limbs: 6,
  reserve1Limbs: 9,
  priceUsd: 12,
  priceNative: 13,
  /** Prices at the last trade: the close of every open kline and the open of the next. */
  closeUsd: 14,
  closeNative: 15,
  athUsd: 16,
  /** Of the day of the last trade. */
  dayOpenUsd: 17,
  lastTradeAtS: 18,
  updatedAtS: 19,
  /** Number of the block of its newest trade, plus 1; 0: never traded. */
  tradedBlock: 20,
  /** Newest row of its open klines. */
  kline: 21,
  /** Its newest 5-second bucket, which may be gone by now. */
  fineTail: 22,
  minuteTail: 23,
  /** Its row among the pairs that traded in a day, which has what `dayColumn` names; 0 when it did not. */
  activeRow: 24,
  /** 0 or 1: which side is the target token. */
  targetSide: 25,
  targetToken: 26,
  quoteToken: 27,
  /** Position of the quote token in the config's list, -1 when it is not a quote asset. */
  quoteIndex: 28,
  /** Bits of `pairFlag`. */
  flags: 29,
  firstTradeAtS: 30,
  isInitialised: 31,
  /** Where the upper limbs of reserves are, 0 when they have none. */
  wideRow: 32,
  firstTradeBlock: 33,
  nextTarget: 34,
  nextQuote: 35,
  initReserve0Limbs: 36,
  initReserve1Limbs: 39,
  /** Swaps in the block of the first trade. */
  firstTradeSwaps: 42,
  /** How many older pairs its target and its quote have on the same side. */
  targetPlace: 43,
  quotePlace: 44,
} as const

export const pairPartWidths = [22, 3, 20] as const
export const pairColumns = columnNames(pairColumn, {
  reserve0Limbs: 3,
  reserve1Limbs: 3,
  initReserve0Limbs: 3,
  initReserve1Limbs: 3,
})

/** What a pair has that traded in a day, and a quote side always: where it is in the row of a quote side. */
export const dayColumn = {
  /** Running sums of the minute buckets, in the layout of `bucketColumn.buy` and what follows it. */
  sums: 24,
  makersBase: 35,
  makersCapacity: 36,
  makersCount: 37,
  /** Where the horizons of its wallets are, 0 while all wallets are known. */
  makersHorizons: 38,
} as const

const makersNames = ['makersBase', 'makersCapacity', 'makersCount', 'makersHorizons'] as const
export const dayNames: readonly string[] = [
  ...sumNames.map((name) => `sums.${name}`),
  ...makersNames,
]

/** A token as the quote side of all its trusted pairs, in the layout of a pair without the facts. */
export const quoteSidePartWidths = [22, 18] as const
/** Of its own, where a pair has the price and the reserves of its pool. */
export const quoteSideColumn = {
  /** Its id plus 1. */
  token: 0,
  /** What the block under way has traded, in the layout of `sums`; zero between blocks. */
  gathered: 1,
  /** What it was worth at these trades. */
  gatheredUsd: 12,
} as const

const ownNames = columnNames(quoteSideColumn, { gathered: sumNames })
export const quoteSideColumns = [
  ...ownNames,
  ...pairColumns.slice(ownNames.length, dayColumn.sums),
  ...dayNames,
  'activeRow',
]

/** A token's own series of prices, in the layout of a pair up to its buckets. */
export const seriesColumn = {
  /** Its id plus 1. */
  token: 0,
  /** The pair whose trades go on with it. */
  pair: 1,
  /** The pair whose prices it had until `sinceS`, 0: it began by itself. */
  source: 2,
  /** Time of the first trade since another pair took over; 0: there was none, all is still in `source`. */
  sinceS: 3,
  /** Newest of its main pair's periods. */
  period: 4,
  /** 1: the token is the quote of its pairs, and only klines are kept. */
  isQuote: 5,
  unused: 6,
} as const

const seriesNames = columnNames(seriesColumn, { unused: 7 })
const seriesWidth = pairColumn.minuteTail + 1
export const seriesColumns = [...seriesNames, ...pairColumns.slice(seriesNames.length, seriesWidth)]

export const pairFlag = {
  isTrusted: 1,
  /** Trusted and against a quote asset: may be a main pair. */
  mayPrice: 2,
  /** Trusted, the native coin, wrapped or not, against a stablecoin. */
  pricesNative: 4,
  /** Decimals of one of its tokens are not known: it has its pool's state, and nothing that follows from decimals. */
  isUnscaled: 8,
} as const

export function token0Of(pair: Float64Array, at: number): number {
  return pair[
    at + (pair[at + pairColumn.targetSide] === 0 ? pairColumn.targetToken : pairColumn.quoteToken)
  ]!
}

export function token1Of(pair: Float64Array, at: number): number {
  return pair[
    at + (pair[at + pairColumn.targetSide] === 0 ? pairColumn.quoteToken : pairColumn.targetToken)
  ]!
}

/** Do its reserves count? Any contract can claim some, and without decimals they are no amounts. */
export function hasTvl(flags: number): boolean {
  return (flags & (pairFlag.isTrusted | pairFlag.isUnscaled)) === pairFlag.isTrusted
}
