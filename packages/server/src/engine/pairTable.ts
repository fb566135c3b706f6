/** Columns of a pair's row; the row is its id + 1. Prices are of the target token, 0 without one. */
export const pairColumn = {
  /** 0 or 1: which side is the target token. */
  targetSide: 0,
  targetToken: 1,
  quoteToken: 2,
  /** Position of the quote token in the config's list, -1 when it is not a quote asset. */
  quoteIndex: 3,
  /** Bits of `pairFlag`. */
  flags: 4,
  priceRaw: 5,
  /** Target token in whole quote tokens. */
  price: 6,
  /** `price` as the block named in `startHeight` found it. */
  startPrice: 7,
  startHeight: 8,
  /** Raw reserves rounded to doubles; the exact ones are the row's bigints. */
  reserve0: 9,
  reserve1: 10,
  priceUsd: 11,
  priceNative: 12,
  /** Prices at the last trade: the close of every open kline and the open of the next. */
  closeUsd: 13,
  closeNative: 14,
  athUsd: 15,
  dayOpenUsd: 16,
  day: 17,
  firstTradeAtS: 18,
  firstTradeBlock: 19,
  lastTradeAtS: 20,
  updatedAtS: 21,
  touchedHeight: 22,
  tradedHeight: 23,
  klineShort: 24,
  klineLong: 25,
  /** Its newest 5-second bucket, which may have been removed since. */
  fineTail: 26,
  minuteHead: 27,
  minuteTail: 28,
  /** Running sums of the minute buckets, in the layout of `bucketColumn.buy` and what follows it. */
  sums: 29,
  makersBase: 40,
  makersCapacity: 41,
  makersCount: 42,
  makersLevel: 43,
  /** Place in the list of pairs that traded in 24 h, 0 when not in it. */
  activeRow: 44,
  nextTarget: 45,
  nextQuote: 46,
  isInitialised: 47,
  priceUsdBefore: 48,
} as const

export const pairColumns = 49

/** Bigint columns of the same row. */
export const pairBig = { reserve0: 0, reserve1: 1, initReserve0: 2, initReserve1: 3 } as const
export const pairBigs = 4

export const pairFlag = {
  isTrusted: 1,
  /** Trusted and against a quote asset: may be a main pair. */
  mayPrice: 2,
  /** Trusted, wrapped native against a stablecoin. */
  pricesNative: 4,
} as const
