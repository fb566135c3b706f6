/** What was given to a pool or taken from it; token null: nothing tells which. Amounts are raw. */
export type SwapSide = { token: string | null; amount: string }

/** A swap as people read it. */
export type SwapLine = {
  tx: string
  /**
   * Where its kind of chain numbers logs, the log's; else which of the block's swaps it is, or of the transaction's where
   * that stands alone.
   */
  index: number
  venue: string
  pool: string
  sold: SwapSide
  bought: SwapSide
  wallet: string | null
}
