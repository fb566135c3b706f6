/** A pool as its venue's arithmetic sees it. */
export type PoolMoment = {
  reserve0: bigint
  reserve1: bigint
  /** Of the pool's further tokens, in the order of the pair's record. */
  others: readonly bigint[]
  /** The venue's own numbers, as events last told them; empty: none did. */
  told: readonly bigint[]
  /** Of the pair's record. */
  params: readonly bigint[]
  /** Time of the block. */
  timeS: number
}

/** Raw and signed as the pool sees them. */
export type PoolAmounts = { amount0: bigint; amount1: bigint }

/** What only a venue can compute, where a pool's parameters are known. Pure. */
export type VenueMath = {
  /** Raw token1 per raw token0; null: the pool has no price. Absent: events tell it, and nothing is to be computed. */
  priceAfter?(moment: PoolMoment): number | null
  /** What an event moved that names no amounts, by its own numbers and those before it. Null: not known. */
  amountsOf?(
    told: readonly bigint[],
    before: Pick<PoolMoment, 'told' | 'params'>,
  ): PoolAmounts | null
  /**
   * What of an event's amounts is among the reserves of a pool inside a vault, by the numbers that it told: where fees are set aside
   * for those who gave liquidity or for the venue, no event says when they are taken. @default all of it
   */
  keptOf?(
    amounts: PoolAmounts,
    told: readonly bigint[],
    pool: Pick<PoolMoment, 'params'>,
  ): PoolAmounts
  /** A pool's numbers after an event that told these. @default what was told last */
  toldAfter?(told: readonly bigint[], before: readonly bigint[]): readonly bigint[]
}

/** By the name of a pair's venue. */
export type FindVenueMath = (venue: string) => VenueMath | undefined
