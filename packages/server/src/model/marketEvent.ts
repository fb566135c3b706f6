import type { BlockRef } from './block.ts'
import type { FinishedLiquidity, FinishedSwap } from './finishedBlock.ts'
import type { EndedKlineRows } from './klines/endedKlines.ts'
import type { PairRecord } from './pair.ts'
import type { TokenRecord, TokenSupply } from './token.ts'

/** Prices and depth of a pair right after an event. Null: the token has no priced route, or no known decimals yet. */
export type Quote = {
  price0Usd: number | null
  price1Usd: number | null
  price0Native: number | null
  price1Native: number | null
  /**
   * Both reserves at their price; 0 when nothing is priced, the pair is not trusted, or decimals are not known yet. Null: the
   * reserves themselves are not known.
   */
  liquidityUsd: number | null
  liquidityNative: number | null
}

export type SwapEvent = {
  type: 'swap'
  swap: FinishedSwap
  quote: Quote
  /**
   * Value of the trade: its stablecoin side where it has one, else its quote side at the rate before the block; 0 when
   * nothing is priced or the pair is not trusted. Integer 1e-8 USD.
   */
  amountUsdE8: number
  /** Raw units of the native coin: exactly the side that is native, where there is one. */
  amountNativeRaw: bigint
  /** Seen from the target token. */
  isBuy: boolean
}

export type LiquidityEvent = {
  type: 'liquidity'
  liquidity: FinishedLiquidity
  quote: Quote
  amountUsdE8: number
  amountNativeRaw: bigint
}

/** All klines that the block ended, each exactly once unless a reorg changes it: see `readEndedKlines`. */
export type EndedKlinesEvent = { type: 'endedKlines' } & EndedKlineRows

/**
 * The pair's open klines changed, of every interval: `openKline` reads them. One per pair and block, and nothing is
 * made of it where nobody looks.
 */
export type OpenKlinesEvent = { type: 'openKlines'; pairId: number }

/** The pair's USD price differs from the block before. At most one per pair and block, after its swaps. */
export type MainPairEvent = {
  type: 'mainPair'
  tokenId: number
  oldPairId: number
  newPairId: number
  isGraduation: boolean
}

export type LaunchEvent = {
  type: 'launch'
  state: 'created' | 'almost' | 'graduated'
  tokenId: number
  /** The curve, or after graduation the DEX pair. */
  pairId: number
}

/** A curve has become fuller or emptier by a step, see `curveStepPpm`. */
export type CurveStepEvent = {
  type: 'curveStep'
  tokenId: number
  pairId: number
  filledPpm: number
}

/** A tenth of a launch's curve. */
export const curveStepPpm = 100_000

/** At most one per token and block. */
export type SupplyEvent = {
  type: 'supply'
  supply: TokenSupply
  /** How many held it before; null: that was not known. */
  holdersBefore: number | null
}

/**
 * What changed in the market. A commit yields: its new tokens and pairs, then its events in chain
 * order, then ended and open klines, prices and main pairs. A revert yields `reverted` and then the corrected
 * klines and prices.
 */
export type MarketEvent =
  | { type: 'token'; token: TokenRecord }
  | { type: 'pair'; pair: PairRecord }
  | SupplyEvent
  | SwapEvent
  | LiquidityEvent
  | EndedKlinesEvent
  | OpenKlinesEvent
  | MainPairEvent
  | LaunchEvent
  | CurveStepEvent
  | { type: 'reverted'; ref: BlockRef }
