import type { BlockRef } from './block.ts'
import type { LiquidityKind, PoolKind } from './pool.ts'

/** Where in the block an event stands and who signed the transaction. */
export type Origin = {
  /**
   * Index in the block (EVM: log index; Solana: ordinal in the slot). Ascending. Two events share one only when the
   * same log says both, and then their types differ, or the venues whose event it may be (a curve's trade: swap and curve; its end: graduation and sync;
   * before either a launch, where resolve meets the curve with it).
   */
  index: number
  txHash: string
  wallet: string
}

/** Which pool an event is of. */
export type PoolMention = {
  /** Its address or id. */
  pool: string
  /** The venues that have such an event: it counts for a pool of one of these. @default any */
  venues?: readonly string[] | undefined
  /** The contract that keeps the pool among others, and wrote the event. @default the pool itself */
  manager?: string | undefined
  /** The two tokens that were traded, as the event names them, of a pool that may have more. @default its only two */
  couple?: readonly [string, string] | undefined
  /** Both tokens of the pool, where the event's transaction tells them. @default whoever knows the pool is asked */
  tokens?: readonly [string, string] | undefined
}

/** State of a pool right after an event. Reserves null: take the pool's token balances. */
export type PoolState = {
  reserve0: bigint | null
  reserve1: bigint | null
  /** Raw token1 per raw token0; null when the event does not tell. */
  priceRaw: number | null
  /** Numbers of the venue's own, for its arithmetic. @default not told */
  told?: readonly bigint[] | undefined
}

/** What a launch platform's own event says of the curve: enough to follow one whose launch was not seen. */
export type CurveTerms = {
  /** The contract that said so. */
  platform: string
  token0: string
  /** May be the native token. */
  token1: string
  venue?: string | undefined
}

/** Holdings of a trader after a transaction, in raw units. Null: the transaction does not say. */
export type TraderAfter = {
  native: bigint | null
  holding0: bigint | null
  holding1: bigint | null
}

/** Amounts are raw and signed as the pool sees them: positive came in, negative went out. */
export type DecodedSwap = Origin &
  PoolMention &
  PoolState & {
    type: 'swap'
    /** Of a trade on a launch curve. */
    curve?: CurveTerms | undefined
    sender: string
    to: string
    amount0: bigint
    amount1: bigint
    /** What came in and what went out of a swap in which one token went both ways. @default the amounts say it */
    gross?: { isFirstSold: boolean; sold: bigint; bought: bigint } | undefined
    /** For chains whose transactions list balances. @default balances are counted and read from nodes */
    traderAfter?: TraderAfter | undefined
  }

/** Amounts are raw and never negative; `kind` gives the direction. */
export type DecodedLiquidity = Origin &
  PoolMention &
  PoolState & {
    type: 'liquidity'
    kind: LiquidityKind
    sender: string
    amount0: bigint
    amount1: bigint
  }

/** Reserves or price changed without a trade (sync, donation, first price). */
export type DecodedSync = Origin & PoolMention & PoolState & { type: 'sync' }

/** What a pool inside a vault has of one token changed otherwise than by a trade. Negative: it went out. */
export type DecodedFlow = Origin & PoolMention & { type: 'flow'; token: string; amount: bigint }

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
  /** The venues that have such an event; the one in the config is meant. @default any */
  venues?: readonly string[] | undefined
  /** Of the pair's record. Null: the event does not tell them, and the pool is asked. @default none */
  params?: readonly bigint[] | null | undefined
}

/** Token movement. The zero address (chain's own) as `from` is a mint, as `to` a burn. */
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
 * What an owner has of a token after this event: for chains that tell balances, not movements. There an owner may have
 * several accounts of one token, of which an event tells those that it changed.
 */
export type DecodedBalance = {
  type: 'balance'
  index: number
  txHash: string
  token: string
  owner: string
  amount: bigint
  /** What was in the same accounts before. @default all that the owner had */
  before?: bigint | undefined
  /** Of these accounts one at least was opened, or closed. @default the chain has no such accounts */
  accounts?: { isOpened: boolean; isClosed: boolean } | undefined
  /** Amounts of the token were moved that nobody is told: from here on not all is known of who holds it. @default false */
  isHidden?: boolean | undefined
}

/** Who was known to have more than was in the accounts that are told of has the rest in others. */
export function heldElsewhere({ before }: Pick<DecodedBalance, 'before'>, known: bigint): bigint {
  return before === undefined || before >= known ? 0n : known - before
}

/** A launch platform made a token, `token0`, that trades on a bonding curve. `token1` may be the native token. */
export type DecodedLaunch = Origin & {
  type: 'launch'
  /** The contract that said so; resolve knows which platform it is, or drops the event. */
  platform: string
  pool: string
  /** The pool is a DEX's, which tells of it itself: the platform has no curve. */
  isInPool?: true | undefined
  token0: string
  token1: string
  creator: string
  venues?: readonly string[] | undefined
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
  | DecodedFlow
  | DecodedPool
  | DecodedTransfer
  | DecodedBalance
  | DecodedLaunch
  | DecodedCurve
  | DecodedGraduation

/** What tells who holds a token; these two alone name no pool. */
export type DecodedHolding = DecodedTransfer | DecodedBalance

export function isHolding<event extends { type: string }>(
  event: event,
): event is Extract<event, { type: 'transfer' | 'balance' }> {
  return event.type === 'transfer' || event.type === 'balance'
}

/** A block in the words of markets, still with addresses. Events are in index order. */
export type DecodedBlock = { ref: BlockRef; events: readonly DecodedEvent[] }
