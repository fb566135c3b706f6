import { Limbs3 } from '../tables/exactSums.ts'

/** One swap in the terms of klines and windows. One object per engine, filled again for each swap. */
export type Trade = {
  pairId: number
  pairRow: number
  /** The pair's first one in its block: nothing that trades change has been saved yet. */
  isFirst: boolean
  /** Number of the block, as columns have it. */
  block: number
  /** Time, clock minute and 5-second bucket of the block. */
  timeS: number
  minute: number
  fine: number
  hash: number
  isBuy: boolean
  usdE8: number
  native: Limbs3
  /** Of the target token after the swap, 0 without a route. */
  priceUsd: number
  priceNative: number
  /** Of a trusted pair: it counts for its two tokens. */
  isTrusted: boolean
  quoteToken: number
  /** What the quote token is worth, 0 when not known. */
  quoteUsd: number
}

export function createTrade(): Trade {
  return {
    pairId: 0,
    pairRow: 0,
    isFirst: true,
    block: 0,
    timeS: 0,
    minute: 0,
    fine: 0,
    hash: 0,
    isBuy: false,
    usdE8: 0,
    native: new Limbs3(),
    priceUsd: 0,
    priceNative: 0,
    isTrusted: false,
    quoteToken: 0,
    quoteUsd: 0,
  }
}

/** Which pairs a block touched and which of them traded, ids in the order of the first time. */
export type BlockPairs = { touched: number[]; traded: number[] }
