import type { BlockRef } from '../model/block.ts'
import type { Kline } from '../model/kline.ts'
import type { PairRecord } from '../model/pair.ts'
import type { TokenRecord, TokenSupply } from '../model/token.ts'

/** Rolling windows, shortest first. The position is the window's index everywhere inside. */
export const windowsS = [60, 300, 900, 3_600, 14_400, 86_400] as const
export const windowNames = ['1m', '5m', '15m', '1h', '4h', '24h'] as const

/** Trading of one pair (or of all pairs of a token) in one rolling window that ends now. */
export type MarketWindow = {
  /** 1e-8 USD. */
  buyVolumeUsdE8: bigint
  sellVolumeUsdE8: bigint
  /** Volume without same-wallet round trips inside a minute; never more than buy + sell. */
  organicVolumeUsdE8: bigint
  buyCount: number
  sellCount: number
  /** Raw units of the target token. */
  amountRaw: bigint
  makers: number
  buyers: number
  sellers: number
  /** Null when there is no price. */
  highUsd: number | null
  lowUsd: number | null
  /** Percent against the price when the window began, or the pair's first price if that is later; null without one. */
  changePercent: number | null
}

/** A pair as it is now. Prices are null without a priced route. */
export type PairState = {
  record: PairRecord
  targetTokenId: number
  reserve0: bigint
  reserve1: bigint
  initReserve0: bigint
  initReserve1: bigint
  /** Raw token1 per raw token0; 0 before the first price. */
  priceRaw: number
  price0Usd: number | null
  price1Usd: number | null
  price0Native: number | null
  price1Native: number | null
  tvlUsd: number
  /** Of the target token. */
  athUsd: number | null
  dayOpenUsd: number | null
  /** 0: never traded. */
  firstTradeAtS: number
  firstTradeBlock: number
  lastTradeAtS: number
  updatedAtS: number
}

/** Where a token's price comes from: the pairs walked, the thinnest liquidity on the way, and when it last moved. */
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
  /** When the creator is not known: when the curve was first seen. */
  createdAtS: number
  /** 0 until graduated. */
  graduatedAtS: number
}

/** A token as it is now. */
export type TokenState = {
  record: TokenRecord
  price: TokenPrice | null
  mainPairId: number | null
  /** All pairs, main pair first, then by TVL, largest first. */
  pairIds: readonly number[]
  /** Over all trusted pairs. */
  tvlUsd: number
  supply: TokenSupply | null
  /** (total - burnt - other) x price. */
  fdvUsd: number
  /** (total - burnt - locked - other) x price. */
  marketCapUsd: number
  launchPriceUsd: number | null
  launchedAtS: number
  launch: LaunchState | null
  updatedAtS: number
}

/** The market of one chain as others may read it. Reads never change anything; what depends on now takes it. */
export type MarketReads = {
  head(): BlockRef | null
  finalizedNumber(): number
  pairCount(): number
  tokenCount(): number
  findPair(address: string): number | undefined
  findToken(address: string): number | undefined
  pairState(pairId: number): PairState
  tokenState(tokenId: number): TokenState
  /** The newest trade over all pairs of the token, 0: never. As cheap as it looks, for deciding what to read again. */
  tokenActivity(tokenId: number): { lastTradeAtS: number }
  pairWindow(pairId: number, window: number, nowS: number): MarketWindow
  tokenWindow(tokenId: number, window: number, nowS: number): MarketWindow
  /** The kline that is still open at this interval, or null. */
  openKline(pairId: number, interval: number): Kline | null
  nativeUsd(): number | null
  /** Token ids by trending score, best first. */
  trending(nowS: number, offset: number, limit: number): readonly number[]
  /** How many tokens `trending` has in all. */
  trendingCount(nowS: number): number
  /** Token ids whose symbol, name or address match: exact before prefix before inside. */
  search(keyword: string, limit: number): readonly number[]
  /** Tokens of launch platforms in one state, newest first. */
  launched(state: LaunchState['state']): readonly number[]
}
