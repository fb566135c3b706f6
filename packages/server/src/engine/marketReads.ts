import type { BlockRef } from '../model/block.ts'
import type { Kline } from '../model/klines/kline.ts'
import type { PairRecord } from '../model/pair.ts'
import type { Price } from '../model/price.ts'
import type { TokenRecord, TokenSupply } from '../model/token.ts'

/** Rolling windows, shortest first. The position is the window's index everywhere inside. */
export const windowsS = [60, 300, 900, 3_600, 14_400, 86_400] as const
export const windowNames = ['1m', '5m', '15m', '1h', '4h', '24h'] as const

/**
 * Trading of one pair, or of all trusted pairs of a token on either side, in one rolling window
 * that ends now. For a pair the target token is bought and sold.
 */
export type MarketWindow = {
  /** 1e-8 USD. */
  buyVolumeUsdE8: bigint
  sellVolumeUsdE8: bigint
  /**
   * Volume without round trips: excludes trades of a wallet that traded the same pair in the other
   * direction within 60 seconds before or after. At most buy + sell.
   */
  organicVolumeUsdE8: bigint
  buyCount: number
  sellCount: number
  /** Raw units of the target token; in a token's window its own. */
  amountRaw: bigint
  makers: number
  buyers: number
  sellers: number
  /**
   * Range of the window's trades, the last one before it and the current price; null without a
   * price.
   */
  highUsd: number | null
  lowUsd: number | null
  /**
   * Percent against the price at the start of the window, or the pair's first price if later; null
   * without one.
   */
  changePercent: number | null
  /**
   * Time at which the oldest trade leaves the window: until then only a trade, a revert or a
   * main-pair switch changes it. Infinity without trades.
   */
  changesAtS: number
}

/** The highest and lowest price of 24 hours, 0 without one; `changesAtS` is the window's. */
export type DayRange = { highUsd: number; lowUsd: number; changesAtS: number }

/** A day of the pairs that price a token as their target: inputs of its trending score. */
export type TokenInterest = { organicUsd: number; makers: number }

/** A window without wallets, which cost the most to count. */
export type WindowTrading = Omit<MarketWindow, 'makers' | 'buyers' | 'sellers'>

/** A pair as it is now. Prices are null without a priced route. */
export type PairState = {
  record: PairRecord
  targetTokenId: number
  reserve0: bigint
  reserve1: bigint
  /** False if the reserves, the first reserves and the TVL are 0 because they are unknown. */
  areReservesKnown: boolean
  initReserve0: bigint
  initReserve1: bigint
  /** Raw token1 per raw token0; 0 before the first price. */
  priceRaw: number
  price0Usd: number | null
  price1Usd: number | null
  price0Native: number | null
  price1Native: number | null
  /** 0 if the pair is not trusted. */
  tvlUsd: number
  /** For the target token. */
  athUsd: number | null
  /** 0 if never traded. */
  firstTradeAtS: number
  firstTradeBlock: number
  /** Swaps in that block. */
  firstTradeSwaps: number
  lastTradeAtS: number
  updatedAtS: number
}

/** A pair without its origin. */
export type PairMarket = Omit<PairState, 'initReserve0' | 'initReserve1'>

/**
 * Origin of a token's price: the pairs on the way, the smallest liquidity on it, and the age of its
 * oldest step. Pools that price the native coin together are one step, as old as the last one that
 * moved; a stablecoin has no age.
 */
export type TokenPrice = {
  usd: number
  native: number
  routePairIds: readonly number[]
  routeLiquidityUsd: number
  atS: number
}

export type LaunchState = {
  state: 'in' | 'almost' | 'out'
  platform: string
  filledPpm: number
  curvePairId: number
  /** Empty if unknown: the token was launched before the first block that was read. */
  creator: string
  /** 0 if the creator is unknown. */
  createdAtS: number
  /** 0 until graduated. */
  graduatedAtS: number
}

/** A token as it is now. */
export type TokenState = {
  record: TokenRecord
  price: TokenPrice | null
  mainPairId: number | null
  /** Main pair first, then by TVL, largest first; at most as many as a read walks. */
  pairIds: readonly number[]
  /** Over all trusted pairs. */
  tvlUsd: number
  supply: TokenSupply | null
  /** (total - burnt - other) x price. */
  fdvUsd: number
  /** (total - burnt - locked - other) x price. */
  marketCapUsd: number
  /** Both are 0 because they would exceed all money: the contract's supply is not credible. */
  isImplausible: boolean
  /** False if both are 0 because the supply is unknown. */
  isSupplyKnown: boolean
  /** First price on a trusted pair; null without one, or if the launch was not observed. */
  launchPriceUsd: number | null
  /** Highest price at a trade of the main pair of that time; null without one. */
  athUsd: number | null
  /** Creation time of its first pair; 0 if unknown because that pair was discovered later. */
  launchedAtS: number
  /** Creation time of its contract; 0 if unknown. */
  createdAtS: number
  launch: LaunchState | null
  updatedAtS: number
}

/** `isKnown` is false if a pool is left out because its reserves are unknown. */
export type TokenTvl = { usd: number; isKnown: boolean }

/** A token without data that must be gathered from its pairs and its price route. */
export type TokenFacts = Omit<TokenState, 'pairIds' | 'tvlUsd' | 'price'> & {
  price: Omit<TokenPrice, 'routePairIds'> | null
}

/** A token's value without its price route: a fraction of the work. */
export type TokenWorth = {
  /** Null without a priced route. */
  priceUsd: number | null
  mainPairId: number | null
  fdvUsd: number
  marketCapUsd: number
  isImplausible: boolean
  /** False if both are 0 because the supply is unknown. */
  isSupplyKnown: boolean
  holders: number
  updatedAtS: number
}

/** Klines of a pair, or of a token's own series, from a time on. */
export type KlinesPart = {
  /** Id of the pair, or of the series: see `seriesKlineId`. */
  id: number
  /** This part starts in the bucket of this time; the first has 0. */
  fromS: number
  /**
   * True if its klines have all of that bucket, including earlier trades; otherwise they start
   * within it.
   */
  isWhole: boolean
}

/** Where a token's klines are. */
export type TokenKlines = {
  mainPairId: number
  /** Oldest first. */
  parts: readonly KlinesPart[]
  /** Earlier main pairs are unknown before this time; 0 if all are known. */
  exactFromS: number
  /** First trade; 0 if there was none. */
  firstTradeAtS: number
  /**
   * Main pairs of a token that had several, each with its first block, 0 for the first. Oldest
   * first, only the newest few.
   */
  periods: readonly { pairId: number; fromBlock: number }[]
}

/** Time and block of the newest trade. 0 and -1 if never. */
export type Activity = { lastTradeAtS: number; lastTradeBlock: number }

/** Each kind sorted by the depth of the main pair. Names match whole or by prefix, like symbols. */
export type SearchMatches = {
  exact: readonly number[]
  prefix: readonly number[]
  inside: readonly number[]
}

/**
 * The market of one chain for readers. Reads never change anything; the current time is an
 * argument.
 */
export type MarketReads = {
  head(): BlockRef | null
  finalizedNumber(): number
  pairCount(): number
  tokenCount(): number
  findPair(address: string): number | undefined
  findToken(address: string): number | undefined
  /** Tokens with this address in any case; the argument is lower case. */
  findTokensAnyCase(lowerAddress: string): readonly number[]
  pairState(pairId: number): PairState
  pairMarket(pairId: number): PairMarket
  tokenState(tokenId: number): TokenState
  /** Only the record: cheap, whereas the whole state may need a thousand pairs. */
  tokenRecord(tokenId: number): TokenRecord
  /** Null if unknown. */
  tokenSupply(tokenId: number): TokenSupply | null
  /** Increases with every change of the record. */
  tokenRecordRevision(tokenId: number): number
  tokenSupplyRevision(tokenId: number): number
  pairRecord(pairId: number): PairRecord
  /** Total shares of the pool in raw units; null if unknown or it has none. */
  pairShares(pairId: number): bigint | null
  targetTokenOf(pairId: number): number
  /** 0 if the pair is not trusted. */
  pairTvlUsd(pairId: number): number
  /** False if the TVL is 0 because the reserves are unknown. */
  isPairTvlKnown(pairId: number): boolean
  /** The current price of its target; 0 if unknown. */
  pairPrice(pairId: number): Readonly<Price>
  /** The current price of the token: its main pair's. */
  tokenPrice(tokenId: number): Readonly<Price>
  /** Price of the target at 00:00 UTC; null without one. */
  pairDayOpenUsd(pairId: number, nowS: number): number | null
  /** Price of the token at 00:00 UTC, from its trades if it has no main pair; null without one. */
  tokenDayOpenUsd(tokenId: number, nowS: number): number | null
  mainPairOf(tokenId: number): number | null
  launchOf(tokenId: number): LaunchState | null
  tokenFacts(tokenId: number): TokenFacts
  tokenWorth(tokenId: number): TokenWorth
  /** The deepest pairs, at most `max`: the main pair first, then by TVL. */
  tokenPairs(tokenId: number, max: number): readonly number[]
  /** Over all trusted pairs. */
  tokenTvl(tokenId: number): TokenTvl
  /** Over all trusted pairs of the token, on either side. Shows what must be read again. */
  tokenActivity(tokenId: number): Activity
  pairActivity(pairId: number): Activity
  /** Number of reverted blocks: after a revert ids and earlier reads may mean something else. */
  revertCount(): number
  pairWindow(pairId: number, window: number, nowS: number): MarketWindow
  pairTrading(pairId: number, window: number, nowS: number): WindowTrading
  tokenWindow(tokenId: number, window: number, nowS: number): MarketWindow
  tokenTrading(tokenId: number, window: number, nowS: number): WindowTrading
  pairDayRange(pairId: number, nowS: number): DayRange
  tokenDayRange(tokenId: number, nowS: number): DayRange
  /** Volume of 24 hours, at a fraction of the window's cost: for sorting many tokens. */
  tokenDayVolumeUsd(tokenId: number, nowS: number): number
  /**
   * The trades of the open kline of a pair, or of a token's own series by its id; null if there is
   * none.
   */
  openKline(id: number, interval: number): Kline | null
  /** Price of the last trade of a pair or series, 0 without one. */
  lastClose(id: number): Price
  /** The parts that make up the token's klines; null if it has no main pair. */
  tokenSeries(tokenId: number): TokenKlines | null
  nativeUsd(): number | null
  /** Time at which a pool or another chain last gave the native price; 0 if unknown. */
  nativeAtS(): number
  /** Number of pairs, trusted or not, that traded within a day. */
  activePairCount(): number
  /** Id of one of them, counted from 0. A block may put another pair at this position. */
  activePair(at: number): number
  tokenInterest(tokenId: number, nowS: number): TokenInterest
  /** Ids of tokens whose symbol, name or address match, at most `limit` in all. */
  search(keyword: string, limit: number): SearchMatches
  /** Tokens of launch platforms in one state, newest first. */
  launched(state: LaunchState['state']): readonly number[]
  /** Tokens that an account launched on a platform, newest first, at most `max`. */
  launchedBy(creator: string, max: number): readonly number[]
}
