/** Amount into or out of a pool, raw; token null if unknown. */
export type SwapSide = { token: string | null; amount: string }

/** A swap as people read it. */
export type SwapSummary = {
  tx: string
  /**
   * Log index on chains that number logs; otherwise the swap's number in the block, or in the
   * transaction if that is alone.
   */
  index: number
  venue: string
  pool: string
  sold: SwapSide
  bought: SwapSide
  wallet: string | null
}
