import type { BlockRef } from './block.ts'
import type { LiquidityKind, PoolKind } from './pool.ts'

/** Where in the block an event stands and who signed the transaction. */
export type Origin = {
  /**
   * Index in the block (EVM: log index; Solana: ordinal in the slot). Ascending. Two events share one only when the
   * same log says both, and then their types differ (a curve's trade: swap and curve; its end: graduation and sync;
   * before either a launch, where resolve meets the curve with it).
   */
  index: number
  txHash: string
  wallet: string
}

/** State of a pool right after an event. Reserves null: take the pool's token balances. */
export type PoolState = {
  reserve0: bigint | null
  reserve1: bigint | null
  /** Raw token1 per raw token0; null when the event does not tell. */
  priceRaw: number | null
}

/** What a launch platform's own event says of the curve: enough to follow one whose launch was not seen. */
export type CurveTerms = {
  /** The contract that said so. */
  platform: string
  token0: string
  /** May be the native token. */
  token1: string
}

/** Amounts are raw and signed as the pool sees them: positive came in, negative went out. */
export type DecodedSwap = Origin &
  PoolState & {
    type: 'swap'
    pool: string
    /** Of a trade on a launch curve. */
    curve?: CurveTerms | undefined
    sender: string
    to: string
    amount0: bigint
    amount1: bigint
  }

/** Amounts are raw and never negative; `kind` gives the direction. */
export type DecodedLiquidity = Origin &
  PoolState & {
    type: 'liquidity'
    kind: LiquidityKind
    pool: string
    sender: string
    amount0: bigint
    amount1: bigint
  }

/** Reserves or price changed without a trade (sync, donation, first price). */
export type DecodedSync = Origin & PoolState & { type: 'sync'; pool: string }

/** A factory says it made a pool. Whether that factory is trusted is for resolve to say. */
export type DecodedPool = Origin & {
  type: 'pool'
  kind: PoolKind
  factory: string
  pool: string
  token0: string
  token1: string
  /** Swap fee in millionths; null when the venue has none of its own. */
  feePpm: number | null
}

/** Token movement. The zero address (chain's own) as `from` is a mint, as `to` a burn. */
export type DecodedTransfer = {
  type: 'transfer'
  index: number
  token: string
  from: string
  to: string
  amount: bigint
}

/** A launch platform made a token that trades on a bonding curve. `token1` may be the native token. */
export type DecodedLaunch = Origin & {
  type: 'launch'
  /** The contract that said so; resolve knows which platform it is, or drops the event. */
  platform: string
  pool: string
  token0: string
  token1: string
  creator: string
}

/** How full a curve is, in millionths of its target. */
export type DecodedCurve = Origin & { type: 'curve'; pool: string; filledPpm: number }

/** A curve is full and its token trades on a DEX pool from now on. */
export type DecodedGraduation = Origin & {
  type: 'graduation'
  curve: string
  pool: string
  terms?: CurveTerms | undefined
}

export type DecodedEvent =
  | DecodedSwap
  | DecodedLiquidity
  | DecodedSync
  | DecodedPool
  | DecodedTransfer
  | DecodedLaunch
  | DecodedCurve
  | DecodedGraduation

/** A block in the words of markets, still with addresses. Events are in index order. */
export type DecodedBlock = { ref: BlockRef; events: readonly DecodedEvent[] }
