import { columnNames } from './rowTable.ts'

/**
 * Columns of one bucket of one pair. `buy` to `amount` have the layout of a pair's running sums.
 */
export const bucketColumn = {
  index: 0,
  pair: 1,
  /** Row of the pair's previous bucket, which may have expired. */
  previous: 2,
  buy: 3,
  sell: 5,
  organic: 7,
  buyCount: 9,
  sellCount: 10,
  amount: 11,
  /** USD price at the start of the bucket; 0 if unknown. */
  open: 14,
  high: 15,
  low: 16,
} as const

const limbsOf = { buy: 2, sell: 2, organic: 2, amount: 3 }
export const bucketColumnNames = columnNames(bucketColumn, limbsOf)

/** Names of the sums, from `buy` to `amount`. */
const sumNames = bucketColumnNames.slice(bucketColumn.buy, bucketColumn.open)
export const sumColumns = sumNames.length

/**
 * Parts of a pair's row that are saved separately: `market` changes with events, `window` with
 * rolling windows, `facts` rarely.
 */
export const pairPart = { market: 0, window: 1, facts: 2 } as const

/**
 * Columns of a pair's row, whose number is the pair's id plus 1. Prices are those of the target
 * token; 0 if unknown.
 */
export const pairColumn = {
  priceRaw: 0,
  /** Price of one whole target token in whole quote tokens. */
  price: 1,
  /** Value of `price` before the block of `touchedHeight` changed it. */
  startPrice: 2,
  touchedHeight: 3,
  /** Raw reserves rounded to doubles; the exact reserves are in the limbs below. */
  reserve0: 4,
  reserve1: 5,
  reserve0Limbs: 6,
  reserve1Limbs: 9,
  priceUsd: 12,
  priceNative: 13,
  /** Prices at the last trade: the close of every open kline and the open of the next one. */
  closeUsd: 14,
  closeNative: 15,
  athUsd: 16,
  /** USD price at the start of the day of the last trade. */
  dayOpenUsd: 17,
  lastTradeAtS: 18,
  updatedAtS: 19,
  /** Block number of the pair's newest trade, plus 1; 0 if never traded. */
  tradedBlock: 20,
  /** First row of the pair's open klines. */
  kline: 21,
  /** The pair's newest 5-second bucket, which may have expired. */
  fineTail: 22,
  minuteTail: 23,
  /**
   * Row among the pairs that traded within a day, with the columns of `dayColumn`; 0 if the pair
   * did not.
   */
  activeRow: 24,
  /** Which of the pool's two tokens is the target: 0 or 1. */
  targetSide: 25,
  targetToken: 26,
  quoteToken: 27,
  /** Position of the quote token in the configured list of quote assets; -1 if it is not one. */
  quoteIndex: 28,
  /** Bits of `pairFlag`. */
  flags: 29,
  firstTradeAtS: 30,
  isInitialised: 31,
  /** Row with the upper limbs of reserves above 156 bits; 0 if the pair has never needed one. */
  wideRow: 32,
  firstTradeBlock: 33,
  nextTarget: 34,
  nextQuote: 35,
  initReserve0Limbs: 36,
  initReserve1Limbs: 39,
  /** Number of swaps in the block of the first trade. */
  firstTradeSwaps: 42,
  /**
   * Positions of the pair among the target's pairs as a target, and among the quote's pairs as a
   * quote, oldest first.
   */
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

/**
 * Rolling 24 h data: of a pair that traded within a day, and always of a quote side. Values are
 * offsets in the row of a quote side.
 */
export const dayColumn = {
  /**
   * Running sums of the minute buckets, in the layout of `bucketColumn.buy` and the columns after
   * it.
   */
  sums: 24,
  makersBase: 35,
  makersCapacity: 36,
  makersCount: 37,
  /** Row of the horizons used for sampling wallets; 0 while every wallet is stored. */
  makersHorizons: 38,
} as const

const makersNames = ['makersBase', 'makersCapacity', 'makersCount', 'makersHorizons'] as const
export const dayColumnNames: readonly string[] = [
  ...sumNames.map((name) => `sums.${name}`),
  ...makersNames,
]

/**
 * Row parts of a quote side: one token as the quote of all its trusted pairs, in the layout of a
 * pair without `facts`.
 */
export const quoteSidePartWidths = [22, 18] as const
/** Columns that a quote side has in place of a pair's price and reserves. */
export const quoteSideColumn = {
  /** Id of the token, plus 1. */
  token: 0,
  /** Trades of the block being applied, in the layout of `sums`; zero between blocks. */
  gathered: 1,
  /** USD price of the token at these trades. */
  gatheredUsd: 12,
} as const

const ownNames = columnNames(quoteSideColumn, { gathered: sumNames })
export const quoteSideColumns = [
  ...ownNames,
  ...pairColumns.slice(ownNames.length, dayColumn.sums),
  ...dayColumnNames,
  'activeRow',
]

/** Columns of a token's own price series, in the layout of a pair's row up to its buckets. */
export const seriesColumn = {
  /** Id of the token, plus 1. */
  token: 0,
  /** Row of the pair whose trades extend the series. */
  pair: 1,
  /**
   * Row of the pair whose prices the series has until `sinceS`; 0 if the series started without
   * prices.
   */
  source: 2,
  /**
   * Time of the first trade after another pair took over; 0 if there was none, so all prices are
   * still in `source`.
   */
  sinceS: 3,
  /** Newest row in the list of the token's main-pair periods. */
  period: 4,
  /** 1 if the token is the quote of these pairs; the series then has only klines. */
  isQuote: 5,
  unused: 6,
} as const

const seriesNames = columnNames(seriesColumn, { unused: 7 })
const seriesWidth = pairColumn.minuteTail + 1
export const seriesColumns = [...seriesNames, ...pairColumns.slice(seriesNames.length, seriesWidth)]

export const pairFlag = {
  isTrusted: 1,
  /** Trusted and quoted in a quote asset: the pair can become a main pair. */
  mayPrice: 2,
  /** Trusted, and pairs the native coin, wrapped or not, with a stablecoin. */
  pricesNative: 4,
  /**
   * The decimals of one of its tokens are unknown: the pair has its pool's state, but no values
   * that depend on decimals.
   */
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

/**
 * True if the pair's reserves count as liquidity: any contract can claim reserves, and without
 * decimals they are not amounts.
 */
export function hasTvl(flags: number): boolean {
  return (flags & (pairFlag.isTrusted | pairFlag.isUnscaled)) === pairFlag.isTrusted
}
