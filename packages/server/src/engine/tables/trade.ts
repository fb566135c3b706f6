import { ThreeLimbs } from './exactSums.ts'

/** One swap as klines and windows need it. One object per engine, refilled for each swap. */
export type Trade = {
  pairId: number
  pairRow: number
  /**
   * True for the pair's first trade in its block: the rows that trades change are not saved yet.
   */
  isFirst: boolean
  /** Number of the block as columns store it, plus 1. */
  block: number
  /** Time, clock minute and 5-second bucket of the block. */
  timeS: number
  minuteBucket: number
  fineBucket: number
  hash: number
  isBuy: boolean
  usdE8: number
  native: ThreeLimbs
  /** USD price of the target token after the swap; 0 if its quote has no price. */
  priceUsd: number
  priceNative: number
  /** True for a trusted pair: the trade counts for both of its tokens. */
  isTrusted: boolean
  quoteToken: number
  /** USD price of the quote token; 0 if unknown. */
  quoteUsd: number
}

export function createTrade(): Trade {
  return {
    pairId: 0,
    pairRow: 0,
    isFirst: true,
    block: 0,
    timeS: 0,
    minuteBucket: 0,
    fineBucket: 0,
    hash: 0,
    isBuy: false,
    usdE8: 0,
    native: new ThreeLimbs(),
    priceUsd: 0,
    priceNative: 0,
    isTrusted: false,
    quoteToken: 0,
    quoteUsd: 0,
  }
}

/**
 * Ids of the pairs that a block touched, and of those that traded, each in the order of the first
 * time.
 */
export type BlockPairs = { touched: number[]; traded: number[] }
