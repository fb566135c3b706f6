import type { BlockRef } from '../model/block.ts'
import type { Kline } from '../model/klines/kline.ts'
import type { PairRecord } from '../model/pair.ts'
import type { UsdNativePrice } from '../model/price.ts'
import type { TokenRecord, TokenSupply } from '../model/token.ts'

/**
 * Lengths of the rolling windows in seconds, shortest first. Everywhere in the engine a window is
 * identified by its index here.
 */
export const windowsS = [60, 300, 900, 3_600, 14_400, 86_400] as const
export const windowNames = ['1m', '5m', '15m', '1h', '4h', '24h'] as const

/**
 * Trading in one rolling window that ends now: of one pair, or of all trusted pairs of a token on
 * either side. Buys and sells of a pair are those of its target token.
 */
export type MarketWindow = {
  /** Volume as an integer of 1e-8 USD. */
  buyVolumeUsdE8: bigint
  sellVolumeUsdE8: bigint
  /**
   * Trading volume without round trips, at most buy + sell volume. A round trip is a pair of
   * opposite trades by one wallet on one pair within 60 seconds.
   */
  organicVolumeUsdE8: bigint
  buyCount: number
  sellCount: number
  /**
   * Traded amount in raw units: of the pair's target token, or of the token itself in a token's
   * window.
   */
  amountRaw: bigint
  makers: number
  buyers: number
  sellers: number
  /**
   * Highest and lowest price among the window's trades, the last trade before it and the current
   * price; null without a price.
   */
  highUsd: number | null
  lowUsd: number | null
  /**
   * Price change in percent since the start of the window, or since the pair's first price if that
   * is later; null without a price.
   */
  changePercent: number | null
  /**
   * Time at which the oldest trade leaves the window; Infinity without trades. Until then only a
   * trade, a revert or a main-pair switch changes the window.
   */
  changesAtS: number
}

/**
 * Highest and lowest price within 24 hours, 0 without one. `changesAtS` is that of the 24 h window.
 */
export type DayRange = { highUsd: number; lowUsd: number; changesAtS: number }

/**
 * Organic volume and wallets within 24 hours on the pairs that price a token as their target:
 * inputs of its trending score.
 */
export type TrendingInputs = { organicUsd: number; makers: number }

/** A window without its wallets, which cost the most to count. */
export type WindowTrading = Omit<MarketWindow, 'makers' | 'buyers' | 'sellers'>

/** State of a pair. Prices are null if no route to USD has a price. */
export type PairState = {
  record: PairRecord
  targetTokenId: number
  reserve0: bigint
  reserve1: bigint
  /** False if the reserves are unknown: reserves, initial reserves and TVL are then 0. */
  areReservesKnown: boolean
  initReserve0: bigint
  initReserve1: bigint
  /** Price in raw token1 per raw token0; 0 before the first price. */
  priceRaw: number
  price0Usd: number | null
  price1Usd: number | null
  price0Native: number | null
  price1Native: number | null
  /** USD value of the reserves; 0 if the pair is not trusted. */
  tvlUsd: number
  /** Highest USD price of the target token at a trade of the pair. */
  athUsd: number | null
  /** Time of the first trade; 0 if never traded. */
  firstTradeAtS: number
  firstTradeBlock: number
  /** Number of swaps in the block of the first trade. */
  firstTradeSwaps: number
  lastTradeAtS: number
  updatedAtS: number
}

/** State of a pair without its initial reserves, which only some answers need. */
export type PairMarket = Omit<PairState, 'initReserve0' | 'initReserve1'>

/**
 * A token's price and its origin: the pairs on the route, the smallest liquidity on it, and the age
 * of its oldest step. The pools that price the native coin together are one step, as old as the
 * pool that changed last; a stablecoin has no age.
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
  /**
   * Address of the token's creator; empty if the token was launched before the first block that was
   * read.
   */
  creator: string
  /** Launch time; 0 if the creator is unknown. */
  createdAtS: number
  /** Graduation time; 0 until graduated. */
  graduatedAtS: number
}

/** State of a token. */
export type TokenState = {
  record: TokenRecord
  price: TokenPrice | null
  mainPairId: number | null
  /**
   * Pairs of the token: the main pair first, then by TVL, largest first. Limited to as many as a
   * read walks.
   */
  pairIds: readonly number[]
  /** TVL over all trusted pairs of the token. */
  tvlUsd: number
  supply: TokenSupply | null
  /** Fully diluted value: (total - burnt - other) x price. */
  fdvUsd: number
  /** Market capitalization: (total - burnt - locked - other) x price. */
  marketCapUsd: number
  /**
   * True if `fdvUsd` and `marketCapUsd` are 0 because they would exceed all money: the supply that
   * the contract reports is not credible.
   */
  isImplausible: boolean
  /** False if `fdvUsd` and `marketCapUsd` are 0 because the supply is unknown. */
  isSupplyKnown: boolean
  /**
   * First price of the token on a trusted pair; null without one, or if its launch was not
   * observed.
   */
  launchPriceUsd: number | null
  /** Highest price at a trade of the token's main pair of that time; null without one. */
  athUsd: number | null
  /** Creation time of the token's first pair; 0 if that pair was discovered later. */
  launchedAtS: number
  /** Creation time of the token's contract; 0 if unknown. */
  createdAtS: number
  launch: LaunchState | null
  updatedAtS: number
}

/**
 * TVL over all trusted pairs of a token. `isKnown` is false if a pool is missing because its
 * reserves are unknown.
 */
export type TokenTvl = { usd: number; isKnown: boolean }

/** State of a token without the fields that must be gathered from its pairs and its price route. */
export type TokenFacts = Omit<TokenState, 'pairIds' | 'tvlUsd' | 'price'> & {
  price: Omit<TokenPrice, 'routePairIds'> | null
}

/**
 * A token's price and market capitalization without the price route: a fraction of the work of its
 * whole state.
 */
export type TokenValue = {
  /** USD price of the token; null if no route to USD has a price. */
  priceUsd: number | null
  mainPairId: number | null
  fdvUsd: number
  marketCapUsd: number
  isImplausible: boolean
  /** False if `fdvUsd` and `marketCapUsd` are 0 because the supply is unknown. */
  isSupplyKnown: boolean
  holders: number
  updatedAtS: number
}

/** Part of a token's klines, from a time on: klines of one pair, or of the token's own series. */
export type TokenKlinesPart = {
  /** Kline id of the pair or of the series; see `seriesKlineId`. */
  id: number
  /** The part starts in the kline of this time; 0 for the first part. */
  fromS: number
  /**
   * True if the part's klines start with a whole bucket, including trades before `fromS`; otherwise
   * they start within it.
   */
  startsWithWholeBucket: boolean
}

/** Location of a token's klines. */
export type TokenKlines = {
  mainPairId: number
  /** Parts of the klines, oldest first. */
  parts: readonly TokenKlinesPart[]
  /** Time before which main pairs of the token may be missing; 0 if all are known. */
  exactFromS: number
  /** Time of the token's first trade; 0 if it was never traded. */
  firstTradeAtS: number
  /**
   * Main pairs of a token that had several, oldest first, each with its first block; 0 for the
   * first pair. Only the newest few.
   */
  periods: readonly { pairId: number; fromBlock: number }[]
}

/** Time and block number of the newest trade; 0 and -1 if never traded. */
export type NewestTrade = { lastTradeAtS: number; lastTradeBlock: number }

/**
 * Ids of found tokens. Each kind of match is sorted by the depth of the main pair. Like symbols,
 * names match as a whole or by prefix.
 */
export type SearchMatches = {
  exact: readonly number[]
  prefix: readonly number[]
  inside: readonly number[]
}

/** Reads of one chain's market. A read never changes anything; the current time is an argument. */
export type MarketReads = {
  head(): BlockRef | null
  finalizedNumber(): number
  pairCount(): number
  tokenCount(): number
  findPair(address: string): number | undefined
  findToken(address: string): number | undefined
  /** Tokens with this address in any case; the argument must be lower case. */
  findTokensAnyCase(lowerAddress: string): readonly number[]
  pairState(pairId: number): PairState
  pairMarket(pairId: number): PairMarket
  tokenState(tokenId: number): TokenState
  /** Record of a token. Cheap, whereas the whole state may have to read a thousand pairs. */
  tokenRecord(tokenId: number): TokenRecord
  /** Supply of a token; null if unknown. */
  tokenSupply(tokenId: number): TokenSupply | null
  /** Number that increases with every change of the token's record. */
  tokenRecordRevision(tokenId: number): number
  tokenSupplyRevision(tokenId: number): number
  pairRecord(pairId: number): PairRecord
  /** Total shares of the pool in raw units; null if unknown or if the pool has no shares. */
  pairShares(pairId: number): bigint | null
  targetTokenOf(pairId: number): number
  /** TVL of a pair; 0 if it is not trusted. */
  pairTvlUsd(pairId: number): number
  /** False if the pair's TVL is 0 because its reserves are unknown. */
  isPairTvlKnown(pairId: number): boolean
  /** Current price of the pair's target token; 0 if unknown. */
  pairPrice(pairId: number): Readonly<UsdNativePrice>
  /** Current price of a token, which is that of its main pair; 0 if unknown. */
  tokenPrice(tokenId: number): Readonly<UsdNativePrice>
  /** Price of the pair's target token at 00:00 UTC; null without one. */
  pairDayOpenUsd(pairId: number, nowS: number): number | null
  /** Price of a token at 00:00 UTC, from its trades if it has no main pair; null without one. */
  tokenDayOpenUsd(tokenId: number, nowS: number): number | null
  mainPairOf(tokenId: number): number | null
  launchOf(tokenId: number): LaunchState | null
  tokenFacts(tokenId: number): TokenFacts
  tokenWorth(tokenId: number): TokenValue
  /** Deepest pairs of a token, at most `max`: the main pair first, then by TVL. */
  tokenPairs(tokenId: number, max: number): readonly number[]
  /** TVL of a token over all of its trusted pairs. */
  tokenTvl(tokenId: number): TokenTvl
  /**
   * Newest trade on any trusted pair of the token, on either side. Callers use it to see what must
   * be read again.
   */
  tokenActivity(tokenId: number): NewestTrade
  pairActivity(pairId: number): NewestTrade
  /**
   * Number of reverted blocks. After a revert, ids and earlier reads may refer to something else.
   */
  revertCount(): number
  pairWindow(pairId: number, window: number, nowS: number): MarketWindow
  pairTrading(pairId: number, window: number, nowS: number): WindowTrading
  tokenWindow(tokenId: number, window: number, nowS: number): MarketWindow
  tokenTrading(tokenId: number, window: number, nowS: number): WindowTrading
  pairDayRange(pairId: number, nowS: number): DayRange
  tokenDayRange(tokenId: number, nowS: number): DayRange
  /**
   * Volume of a token within 24 hours, at a fraction of the window's cost: for sorting many tokens.
   */
  tokenDayVolumeUsd(tokenId: number, nowS: number): number
  /** Open kline of a pair, or of a token's own series by its kline id; null if none is open. */
  openKline(id: number, interval: number): Kline | null
  /** Price of the last trade of a pair or series; 0 without a trade. */
  lastClose(id: number): UsdNativePrice
  /** The parts that make up a token's klines; null if it has no main pair. */
  tokenSeries(tokenId: number): TokenKlines | null
  nativeUsd(): number | null
  /** Time at which a pool or another chain last reported the native price; 0 if unknown. */
  nativeAtS(): number
  /** Number of pairs, trusted or not, that traded within a day. */
  activePairCount(): number
  /**
   * Id of a pair that traded within a day, by its position from 0. A block may move another pair to
   * this position.
   */
  activePair(at: number): number
  tokenInterest(tokenId: number, nowS: number): TrendingInputs
  /** Ids of tokens whose symbol, name or address match, at most `limit` in all. */
  search(keyword: string, limit: number): SearchMatches
  /** Tokens of launch platforms in one launch state, newest first. */
  launched(state: LaunchState['state']): readonly number[]
  /** Tokens that an account launched on a platform, newest first, at most `max`. */
  launchedBy(creator: string, max: number): readonly number[]
}
