import type { BlockRef } from './block.ts'
import type { FinishedLiquidity, FinishedSwap } from './finishedBlock.ts'
import type { EndedKlineRows } from './klines/endedKlines.ts'
import type { PairRecord } from './pair.ts'
import type { TokenRecord, TokenSupply } from './token.ts'

/**
 * Prices and depth of a pair right after an event. Null: the token has no priced route, or its
 * decimals are unknown.
 */
export type PairValuation = {
  price0Usd: number | null
  price1Usd: number | null
  price0Native: number | null
  price1Native: number | null
  /**
   * Value of both reserves; 0 if nothing is priced, the pair is not trusted, or decimals are
   * unknown. Null if the reserves are unknown.
   */
  liquidityUsd: number | null
  liquidityNative: number | null
}

export type SwapEvent = {
  type: 'swap'
  swap: FinishedSwap
  quote: PairValuation
  /**
   * Value of the trade: its stablecoin side if it has one, else its quote side at the rate before
   * the block; 0 if nothing is priced or the pair is not trusted. Integer 1e-8 USD.
   */
  amountUsdE8: number
  /** Raw units of the native coin: exactly the native side, if there is one. */
  amountNativeRaw: bigint
  /** From the target token's view. */
  isBuy: boolean
}

export type LiquidityEvent = {
  type: 'liquidity'
  liquidity: FinishedLiquidity
  quote: PairValuation
  amountUsdE8: number
  amountNativeRaw: bigint
}

/** All klines that the block ended, each once unless a reorg changes it: see `readEndedKlines`. */
export type EndedKlinesEvent = { type: 'endedKlines' } & EndedKlineRows

/**
 * The pair's open klines of every interval changed; `openKline` reads them. One per pair and block,
 * computed only when read.
 */
export type OpenKlinesEvent = { type: 'openKlines'; pairId: number }

/**
 * The pair's USD price differs from the block before. At most one per pair and block, after its
 * swaps.
 */
export type MainPairEvent = {
  type: 'mainPair'
  tokenId: number
  oldPairId: number
  newPairId: number
  isGraduation: boolean
}

type LaunchEvent = {
  type: 'launch'
  state: 'created' | 'almost' | 'graduated'
  tokenId: number
  /** The curve, or after graduation the DEX pair. */
  pairId: number
}

/** A curve's progress has passed a step, up or down; see `curveStepPpm`. */
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
  /** Holder count before; null if it was unknown. */
  holdersBefore: number | null
}

/**
 * Changes of the market. A commit yields its new tokens and pairs, its events in chain order, then
 * ended and open klines, prices and main pairs. A revert yields `reverted`, then the corrected
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
