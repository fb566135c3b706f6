import type { BlockRef } from '../model/block.ts'
import type { Kline } from '../model/klines/kline.ts'
import type { PairRecord } from '../model/pair.ts'
import type { Price } from '../model/price.ts'
import type { TokenRecord, TokenSupply } from '../model/token.ts'

/** Rolling windows, shortest first. The position is the window's index everywhere inside. */
export const windowsS = [60, 300, 900, 3_600, 14_400, 86_400] as const
export const windowNames = ['1m', '5m', '15m', '1h', '4h', '24h'] as const

/**
 * Trading of one pair (or of all trusted pairs of a token, of either side) in one rolling window that ends now. Of a pair
 * it is the target that is bought and sold.
 */
export type MarketWindow = {
  /** 1e-8 USD. */
  buyVolumeUsdE8: bigint
  sellVolumeUsdE8: bigint
  /**
   * Volume without round trips: trades of a wallet that traded the same pair the other way within 60 seconds, before or
   * after. Never more than buy + sell.
   */
  organicVolumeUsdE8: bigint
  buyCount: number
  sellCount: number
  /** Raw units of the target token; of a token's window its own. */
  amountRaw: bigint
  makers: number
  buyers: number
  sellers: number
  /** Range of the trades in it, the last one before it and the current price; null without a price. */
  highUsd: number | null
  lowUsd: number | null
  /** Percent against the price when the window began, or the pair's first price if that is later; null without one. */
  changePercent: number | null
  /** When the oldest trade in it leaves it: until then only a trade, a revert or another main pair changes it. Infinity: it has none. */
  changesAtS: number
}

/** The highest and lowest price of 24 hours, 0 without one; `changesAtS` is that of the window. */
export type DayRange = { highUsd: number; lowUsd: number; changesAtS: number }

/** A day of the pairs that price a token as their target: what its trending score follows from. */
export type TokenInterest = { organicUsd: number; makers: number }

/** A window without the wallets, which cost the most to count. */
export type WindowTrading = Omit<MarketWindow, 'makers' | 'buyers' | 'sellers'>

/** A pair as it is now. Prices are null without a priced route. */
export type PairState = {
  record: PairRecord
  targetTokenId: number
  reserve0: bigint
  reserve1: bigint
  /** False: the reserves, the first reserves and the TVL are 0 because nobody reported them. */
  areReservesKnown: boolean
  initReserve0: bigint
  initReserve1: bigint
  /** Raw token1 per raw token0; 0 before the first price. */
  priceRaw: number
  price0Usd: number | null
  price1Usd: number | null
  price0Native: number | null
  price1Native: number | null
  /** 0 where the pair is not trusted. */
  tvlUsd: number
  /** Of the target token. */
  athUsd: number | null
  /** 0: never traded. */
  firstTradeAtS: number
  firstTradeBlock: number
  /** Swaps in that block. */
  firstTradeSwaps: number
  lastTradeAtS: number
  updatedAtS: number
}

/** A pair as it is now, without where it came from. */
export type PairMarket = Omit<PairState, 'initReserve0' | 'initReserve1'>

/**
 * Where a token's price comes from: the pairs walked, the thinnest liquidity on the way, and since when the oldest step of it
 * stands. Pools that price the native coin together are one step, as old as the one that moved last; a stablecoin has no age.
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
  /** Empty: not known, the token was launched before the first block that was read. */
  creator: string
  /** 0 where the creator is not known. */
  createdAtS: number
  /** 0 until graduated. */
  graduatedAtS: number
}

/** A token as it is now. */
export type TokenState = {
  record: TokenRecord
  price: TokenPrice | null
  mainPairId: number | null
  /** Main pair first, then by TVL, largest first: the deepest, as many as a read walks at most. */
  pairIds: readonly number[]
  /** Over all trusted pairs. */
  tvlUsd: number
  supply: TokenSupply | null
  /** (total - burnt - other) x price. */
  fdvUsd: number
  /** (total - burnt - locked - other) x price. */
  marketCapUsd: number
  /** Both are 0 because they would be more than all money: what the contract says of its supply is not true. */
  isImplausible: boolean
  /** False: both are 0 because the token has not said how much of it there is. */
  isSupplyKnown: boolean
  /** First price on a trusted pair; null without one, and where the launch was not seen. */
  launchPriceUsd: number | null
  /** Highest price at a trade of any pair while it was its main pair; null without one. */
  athUsd: number | null
  /** When its first pair was made; 0: not known, that pair was discovered late. */
  launchedAtS: number
  /** When its contract was made; 0: not known. */
  createdAtS: number
  launch: LaunchState | null
  updatedAtS: number
}

/** `isKnown` is false where a pool is left out because nobody reported its reserves. */
export type TokenTvl = { usd: number; isKnown: boolean }

/** A token as it is now, without what has to be gathered from its pairs and from those on the route of its price. */
export type TokenFacts = Omit<TokenState, 'pairIds' | 'tvlUsd' | 'price'> & {
  price: Omit<TokenPrice, 'routePairIds'> | null
}

/** What a token is worth now, without the route of its price: a fraction of the work. */
export type TokenWorth = {
  /** Null without a priced route. */
  priceUsd: number | null
  mainPairId: number | null
  fdvUsd: number
  marketCapUsd: number
  isImplausible: boolean
  /** False: both are 0 because the token has not said how much of it there is. */
  isSupplyKnown: boolean
  holders: number
  updatedAtS: number
}

/** Klines of a pair, or of a token's own series, from a time on. */
export type KlinesPart = {
  /** Id of the pair, or of the series: see `seriesKlineId`. */
  id: number
  /** In the bucket of this time it takes over; the first has 0. */
  fromS: number
  /** Its klines have all of that bucket, also what was before it; else they begin in it. */
  isWhole: boolean
}

/** Where a token's klines are. */
export type TokenKlines = {
  mainPairId: number
  /** Oldest first. */
  parts: readonly KlinesPart[]
  /** Which pairs it was priced by before this time is not known, 0: it always is. */
  exactFromS: number
  /** First trade in them; 0: there was none. */
  firstTradeAtS: number
  /** Of a token that had several main pairs: which one from which block on, 0: from the first on. Oldest first, the newest few. */
  periods: readonly { pairId: number; fromBlock: number }[]
}

/** Newest trade: when, and the number of its block. 0 and -1: never. */
export type Activity = { lastTradeAtS: number; lastTradeBlock: number }

/** Each kind with the deepest main pair first. A name is whole, or begins so, like a symbol. */
export type SearchMatches = {
  exact: readonly number[]
  prefix: readonly number[]
  inside: readonly number[]
}

/** The market of one chain as others may read it. Reads never change anything; what depends on now takes it. */
export type MarketReads = {
  head(): BlockRef | null
  finalizedNumber(): number
  pairCount(): number
  tokenCount(): number
  findPair(address: string): number | undefined
  findToken(address: string): number | undefined
  /** Tokens whose address is this one without case, which is given in lower case. */
  findTokensAnyCase(lowerAddress: string): readonly number[]
  pairState(pairId: number): PairState
  pairMarket(pairId: number): PairMarket
  tokenState(tokenId: number): TokenState
  /** What they say of themselves: as cheap as it looks, where a whole state may be of a thousand pairs. */
  tokenRecord(tokenId: number): TokenRecord
  /** Null: not known. */
  tokenSupply(tokenId: number): TokenSupply | null
  /** Higher when the record has changed. */
  tokenRecordRevision(tokenId: number): number
  tokenSupplyRevision(tokenId: number): number
  pairRecord(pairId: number): PairRecord
  /** How many shares of its pool there are, in raw units; null: not known, or it gives none. */
  pairShares(pairId: number): bigint | null
  targetTokenOf(pairId: number): number
  /** 0 where the pair is not trusted. */
  pairTvlUsd(pairId: number): number
  /** False: the TVL is 0 because nobody reported the reserves. */
  isPairTvlKnown(pairId: number): boolean
  /** The current price of its target; 0 where it is not known. */
  pairPrice(pairId: number): Readonly<Price>
  /** The current price of the token: its main pair's. */
  tokenPrice(tokenId: number): Readonly<Price>
  /** Price of the target when the day began, 00:00 UTC; null without one. */
  pairDayOpenUsd(pairId: number, nowS: number): number | null
  /** Price of the token when the day began, or at its trades where it has no main pair; null without one. */
  tokenDayOpenUsd(tokenId: number, nowS: number): number | null
  mainPairOf(tokenId: number): number | null
  launchOf(tokenId: number): LaunchState | null
  tokenFacts(tokenId: number): TokenFacts
  tokenWorth(tokenId: number): TokenWorth
  /** The deepest pairs, at most `max`: the main pair first, then by TVL. */
  tokenPairs(tokenId: number, max: number): readonly number[]
  /** Over all trusted pairs. */
  tokenTvl(tokenId: number): TokenTvl
  /** Over all trusted pairs of the token, of either side. For deciding what to read again. */
  tokenActivity(tokenId: number): Activity
  pairActivity(pairId: number): Activity
  /** How many blocks were reverted: ids, and all that was read before, may mean something else since. */
  revertCount(): number
  pairWindow(pairId: number, window: number, nowS: number): MarketWindow
  pairTrading(pairId: number, window: number, nowS: number): WindowTrading
  tokenWindow(tokenId: number, window: number, nowS: number): MarketWindow
  tokenTrading(tokenId: number, window: number, nowS: number): WindowTrading
  pairDayRange(pairId: number, nowS: number): DayRange
  tokenDayRange(tokenId: number, nowS: number): DayRange
  /** What was bought and sold in 24 hours, at a fraction of the window's cost: to order many tokens by. */
  tokenDayVolumeUsd(tokenId: number, nowS: number): number
  /** The trades of the kline that is still open at this interval, or null; of a pair, or of a token's own series by its id. */
  openKline(id: number, interval: number): Kline | null
  /** Price of the last trade, 0 without one; of a pair or of a token's own series, as `openKline`. */
  lastClose(id: number): Price
  /** Whose klines, one after another, are the token's; null: it has no main pair. */
  tokenSeries(tokenId: number): TokenKlines | null
  nativeUsd(): number | null
  /** When that was last said, by a pool or by another chain; 0 when it is not known. */
  nativeAtS(): number
  /** How many pairs, of trusted and untrusted pools, traded in a day. */
  activePairCount(): number
  /** Id of one of them, from 0. A block may put another pair in its place. */
  activePair(at: number): number
  tokenInterest(tokenId: number, nowS: number): TokenInterest
  /** Ids of tokens whose symbol, name or address match, at most `limit` in all. */
  search(keyword: string, limit: number): SearchMatches
  /** Tokens of launch platforms in one state, newest first. */
  launched(state: LaunchState['state']): readonly number[]
  /** Tokens that one account launched on a platform, newest first, at most `max`. */
  launchedBy(creator: string, max: number): readonly number[]
}
