import type { BlockRef } from './block.ts'
import type { EventOrigin } from './decodedBlock.ts'
import type { PairRecord } from './pair.ts'
import type { LiquidityKind } from './pool.ts'
import type { TokenRecord, TokenSupply } from './token.ts'

/** The trader's holdings after a swap. Null: unknown, never guessed. */
type TraderHoldings = {
  holding0: bigint | null
  holding1: bigint | null
  native: bigint | null
  /** Bits of `accountFlag`. */
  accountFlags: number
}

/** Changes of the trader's token accounts in a swap's transaction. */
export const accountChangeFlag = {
  token0New: 1,
  token0Closed: 2,
  token0Cleared: 4,
  token1New: 8,
  token1Closed: 16,
  token1Cleared: 32,
} as const

/** Both reserves are 0 if the pool is empty or either is unknown. */
export type FinishedState = { reserve0: bigint; reserve1: bigint; priceRaw: number }

/** Amounts are raw and signed as the pool sees them: positive came in, negative went out. */
export type FinishedSwap = EventOrigin &
  FinishedState &
  TraderHoldings & {
    type: 'swap'
    pairId: number
    sender: string
    to: string
    amount0: bigint
    amount1: bigint
  }

export type FinishedLiquidity = EventOrigin &
  FinishedState & {
    type: 'liquidity'
    kind: LiquidityKind
    pairId: number
    sender: string
    amount0: bigint
    amount1: bigint
  }

export type FinishedSync = FinishedState & { type: 'sync'; index: number; pairId: number }

type FinishedLaunch = EventOrigin & {
  type: 'launch'
  pairId: number
  tokenId: number
  /**
   * Empty if the curve was discovered after its launch: its first observed event then counts as the
   * launch.
   */
  creator: string
}

type FinishedCurve = { type: 'curve'; index: number; pairId: number; filledPpm: number }

type FinishedGraduation = EventOrigin & {
  type: 'graduation'
  tokenId: number
  curvePairId: number
  pairId: number
}

export type FinishedEvent =
  | FinishedSwap
  | FinishedLiquidity
  | FinishedSync
  | FinishedLaunch
  | FinishedCurve
  | FinishedGraduation

/** USD price of a native token, and the time of the price on the chain that provides it. */
export type NativeUsdPrice = { usd: number; atS: number }

/** A block with everything the engine needs: no later stage looks anything up. */
export type FinishedBlock = {
  ref: BlockRef
  /** Arrival time of the block, unix ms. Part of the block, so that every reader sees the same. */
  receivedMs: number
  /**
   * Tokens first seen in this block, ids ascending. A pair's tokens come before it, here or in an
   * earlier block.
   */
  tokens: readonly TokenRecord[]
  pairs: readonly PairRecord[]
  /** In index order. */
  events: readonly FinishedEvent[]
  /** Supplies changed by this block, as they are after it. */
  supplies: readonly TokenSupply[]
  /** From another chain, for chains without a stable pool. */
  nativeUsd: NativeUsdPrice | null
}

/** A holder's balance of a token changed in a block. The store uses `before` to revert it. */
export type BalanceChange = { tokenId: number; wallet: string; before: bigint; after: bigint }
