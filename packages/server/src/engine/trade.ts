/** One swap in the terms of klines and windows. One object per engine, filled again for each swap. */
export type Trade = {
  pairId: number
  pairRow: number
  /** The pair's first one in its block: nothing that trades change has been saved yet. */
  isFirst: boolean
  /** Time, clock minute and 5-second bucket of the block. */
  timeS: number
  minute: number
  fine: number
  hash: number
  isBuy: boolean
  usdE8: number
  nativeRaw: number
  /** Of the target token after the swap, 0 without a route. */
  priceUsd: number
  priceNative: number
}

export function createTrade(): Trade {
  return {
    pairId: 0,
    pairRow: 0,
    isFirst: true,
    timeS: 0,
    minute: 0,
    fine: 0,
    hash: 0,
    isBuy: false,
    usdE8: 0,
    nativeRaw: 0,
    priceUsd: 0,
    priceNative: 0,
  }
}
