import type { BlockRef } from './block.ts'
import type { LiquidityKind, PoolKind } from './pool.ts'

/** Place of an event in the block, and the signer of its transaction. */
export type EventOrigin = {
  /**
   * Index in the block (EVM: log index; Solana: ordinal in the slot). Ascending. Two events share
   * one only if the same log causes both, and then differ in type or in their possible venues: a
   * curve's trade (swap and curve), its end (graduation and sync), and a launch before either, when
   * resolve discovers the curve with it.
   */
  index: number
  txHash: string
  wallet: string
}

/** The pool of an event. */
export type PoolReference = {
  /** Address or id of the pool. */
  pool: string
  /** Venues that emit this event; the event is ignored for pools of others. @default any */
  venues?: readonly string[] | undefined
  /** The contract that keeps the pool and emitted the event. @default the pool itself */
  manager?: string | undefined
  /**
   * The two traded tokens as the event names them, for pools with more than two. @default the
   * pool's two tokens
   */
  couple?: readonly [string, string] | undefined
  /** Both tokens of the pool, if the event's transaction shows them. @default read from the pool */
  tokens?: readonly [string, string] | undefined
}

/** State of a pool right after an event. Null reserves: the pool's token balances. */
export type PoolState = {
  reserve0: bigint | null
  reserve1: bigint | null
  /** Raw token1 per raw token0; null if the event does not have it. */
  priceRaw: number | null
  /** The venue's own numbers, for its arithmetic. @default none */
  told?: readonly bigint[] | undefined
}

/** A curve as its platform's event describes it: enough to follow one whose launch was missed. */
export type CurveTerms = {
  /** The contract that emitted the event. */
  platform: string
  token0: string
  /** May be the native token. */
  token1: string
  venue?: string | undefined
}

/**
 * Holdings of a trader after a transaction, in raw units. Null: the transaction does not show them.
 */
export type TraderBalancesAfter = {
  native: bigint | null
  holding0: bigint | null
  holding1: bigint | null
}

/** Amounts are raw and signed as the pool sees them: positive came in, negative went out. */
export type DecodedSwap = EventOrigin &
  PoolReference &
  PoolState & {
    type: 'swap'
    /** For a trade on a launch curve. */
    curve?: CurveTerms | undefined
    sender: string
    to: string
    amount0: bigint
    amount1: bigint
    /** Gross amounts of a swap in which one token went both ways. @default the net amounts */
    gross?: { isFirstSold: boolean; sold: bigint; bought: bigint } | undefined
    /**
     * For chains whose transactions list balances. @default balances are counted and read from
     * nodes
     */
    traderAfter?: TraderBalancesAfter | undefined
  }

/** Amounts are raw and never negative; `kind` gives the direction. */
export type DecodedLiquidity = EventOrigin &
  PoolReference &
  PoolState & {
    type: 'liquidity'
    kind: LiquidityKind
    sender: string
    amount0: bigint
    amount1: bigint
  }

/** Reserves or price changed without a trade (sync, donation, first price). */
export type DecodedSync = EventOrigin & PoolReference & PoolState & { type: 'sync' }

/** A pool's balance of one token inside a vault changed without a trade. Negative: it went out. */
export type DecodedVaultFlow = EventOrigin &
  PoolReference & { type: 'flow'; token: string; amount: bigint }

/** A factory reports a new pool. Resolve decides whether the factory is trusted. */
export type DecodedPool = EventOrigin & {
  type: 'pool'
  kind: PoolKind
  factory: string
  pool: string
  token0: string
  token1: string
  /** Swap fee in millionths; null if pools of the venue have none of their own. */
  feePpm: number | null
  /** Venues with such an event; the configured one applies. @default any */
  venues?: readonly string[] | undefined
  /** Params of the pair's record. Null if they must be read from the pool. @default none */
  params?: readonly bigint[] | null | undefined
}

/** A token transfer. From the chain's zero address it is a mint, to it a burn. */
export type DecodedTransfer = {
  type: 'transfer'
  index: number
  txHash: string
  token: string
  from: string
  to: string
  amount: bigint
}

/**
 * An owner's balance after this event, on chains that report balances instead of transfers. An
 * owner may have several accounts of one token; the event covers those that changed.
 */
export type DecodedBalance = {
  type: 'balance'
  index: number
  txHash: string
  token: string
  owner: string
  amount: bigint
  /** Balance of the same accounts before. @default the owner's whole balance */
  before?: bigint | undefined
  /** At least one of the accounts was opened or closed. @default the chain has no such accounts */
  accounts?: { isOpened: boolean; isClosed: boolean } | undefined
  /** Encrypted amounts moved: the token's holders are incomplete from here on. @default false */
  isHidden?: boolean | undefined
}

/** Part of an owner's known balance that is not in the reported accounts and so in others. */
export function balanceInOtherAccounts(
  { before }: Pick<DecodedBalance, 'before'>,
  known: bigint,
): bigint {
  return before === undefined || before >= known ? 0n : known - before
}

/**
 * A launch platform created `token0`, which trades on a bonding curve for `token1`, possibly the
 * native token.
 */
export type DecodedLaunch = EventOrigin & {
  type: 'launch'
  /** The contract that emitted it. Resolve finds its platform or drops the event. */
  platform: string
  pool: string
  /** The token trades in a DEX pool, which has its own events: the platform has no curve. */
  isInPool?: true | undefined
  token0: string
  token1: string
  creator: string
  venues?: readonly string[] | undefined
}

/** Progress of a curve, in millionths of its target. */
type DecodedCurveProgress = EventOrigin & { type: 'curve'; pool: string; filledPpm: number }

/** A curve is complete and its token trades in a DEX pool from now on. */
export type DecodedGraduation = EventOrigin & {
  type: 'graduation'
  curve: string
  pool: string
  terms?: CurveTerms | undefined
}

export type DecodedEvent =
  | DecodedSwap
  | DecodedLiquidity
  | DecodedSync
  | DecodedVaultFlow
  | DecodedPool
  | DecodedTransfer
  | DecodedBalance
  | DecodedLaunch
  | DecodedCurveProgress
  | DecodedGraduation

/** Events about holders of a token; the only ones without a pool. */
export type DecodedHolding = DecodedTransfer | DecodedBalance

export function isHoldingEvent<event extends { type: string }>(
  event: event,
): event is Extract<event, { type: 'transfer' | 'balance' }> {
  return event.type === 'transfer' || event.type === 'balance'
}

/** A block's market events, still with addresses, in index order. */
export type DecodedBlock = { ref: BlockRef; events: readonly DecodedEvent[] }
