/** A pool as its venue's arithmetic sees it. */
type PoolMathInputs = {
  reserve0: bigint
  reserve1: bigint
  /** Reserves of the pool's further tokens, in the order of the pair's record. */
  others: readonly bigint[]
  /** The venue's own numbers from the last event; empty if there were none. */
  told: readonly bigint[]
  /** Params of the pair's record. */
  params: readonly bigint[]
  /** Time of the block. */
  timeS: number
}

/** Raw and signed as the pool sees them. */
export type PoolAmounts = { amount0: bigint; amount1: bigint }

/** Arithmetic that depends on the venue and a pool's parameters. Pure. */
export type VenueMath = {
  /** Raw token1 per raw token0; null if the pool has no price. Absent if events have the price. */
  priceAfter?(moment: PoolMathInputs): number | null
  /**
   * Amounts of an event without amounts, from its own numbers and those before it. Null if unknown.
   */
  amountsOf?(
    told: readonly bigint[],
    before: Pick<PoolMathInputs, 'told' | 'params'>,
  ): PoolAmounts | null
  /**
   * The part of an event's amounts that counts as reserves of a pool inside a vault. Fees set aside
   * for liquidity providers or the venue do not count: no event says when they are collected.
   * @default all of it
   */
  reserveAmountsOf?(
    amounts: PoolAmounts,
    told: readonly bigint[],
    pool: Pick<PoolMathInputs, 'params'>,
  ): PoolAmounts
  /** A pool's numbers after an event with these. @default the event's numbers */
  toldAfter?(told: readonly bigint[], before: readonly bigint[]): readonly bigint[]
}

/** By the name of a pair's venue. */
export type FindVenueMath = (venue: string) => VenueMath | undefined
