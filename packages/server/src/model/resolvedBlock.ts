import type { BlockRef } from './block.ts'
import type {
  DecodedBalance,
  DecodedGraduation,
  DecodedLaunch,
  DecodedLiquidity,
  DecodedSwap,
  DecodedSync,
  DecodedTransfer,
  DecodedVaultFlow,
  PoolReference,
} from './decodedBlock.ts'
import type { NativeUsdPrice } from './finishedBlock.ts'
import type { PairRecord } from './pair.ts'
import type { TokenRecord } from './token.ts'

export type ResolvedSwap = Omit<DecodedSwap, keyof PoolReference | 'curve'> & { pair: PairRecord }
export type ResolvedLiquidity = Omit<DecodedLiquidity, keyof PoolReference> & { pair: PairRecord }
export type ResolvedSync = Omit<DecodedSync, keyof PoolReference> & { pair: PairRecord }
/** The balance of a pool inside a vault changes by `amount`. */
export type ResolvedVaultFlow = Pick<
  DecodedVaultFlow,
  'type' | 'index' | 'txHash' | 'pool' | 'amount'
> & {
  account: string
  tokenId: number
}
export type ResolvedTransfer = Omit<DecodedTransfer, 'token'> & { tokenId: number }
export type ResolvedBalance = Omit<DecodedBalance, 'token'> & { tokenId: number }
/**
 * The transfer, balance or flow at this index, or an event of another couple, changed a pool's
 * balances, and nothing in the block does so after it. Or, before all events: the block has only
 * the pool's first state.
 */
export type ResolvedReserveChange = { type: 'reserve_change'; index: number; pair: PairRecord }
/**
 * `creator` is empty if the curve was discovered after its launch: its first observed event then
 * counts as the launch.
 */
export type ResolvedLaunch = Omit<
  DecodedLaunch,
  'platform' | 'pool' | 'token0' | 'token1' | 'venues'
> & {
  pair: PairRecord
  tokenId: number
}
type ResolvedCurveProgress = {
  type: 'curve'
  index: number
  pairId: number
  filledPpm: number
}
type ResolvedGraduation = Omit<DecodedGraduation, 'curve' | 'pool' | 'terms'> & {
  tokenId: number
  curvePairId: number
  pairId: number
}

export type ResolvedEvent =
  | ResolvedSwap
  | ResolvedLiquidity
  | ResolvedSync
  | ResolvedTransfer
  | ResolvedVaultFlow
  | ResolvedBalance
  | ResolvedReserveChange
  | ResolvedLaunch
  | ResolvedCurveProgress
  | ResolvedGraduation

/** A pool's state before the block, for pools whose events do not have it. Null: unknown. */
export type InitialPoolState = {
  pair: PairRecord
  reserve0: bigint | null
  reserve1: bigint | null
  priceRaw: number | null
  reserveOthers?: readonly bigint[] | null | undefined
  told?: readonly bigint[] | undefined
  /** Earlier blocks have events of the pool, and its state was unknown until now. */
  wasUnknown: boolean
}

/** Every holder of a token before the block: the sum of all its earlier transfers. */
export type ScannedHolders = {
  tokenId: number
  /** May hold zero and, if a token's transfers contradict each other, negative sums. */
  balances: ReadonlyMap<string, bigint>
  /** Sent to the zero address so far: some tokens include it in their total supply. */
  voided: bigint
  /** totalSupply() before the block; null if it was not read. */
  totalSupply: bigint | null
  /**
   * The token reports other balances for its largest holders: it rebases or pays them without a
   * transfer. @default false
   */
  isContradicted?: boolean | undefined
}

/**
 * A block with ids in place of addresses, and everything that was read for it. Events are in index
 * order.
 */
export type ResolvedBlock = {
  ref: BlockRef
  receivedMs: number
  /** False while catching up: reads may take their time. */
  isLive: boolean
  /** Tokens first seen in this block, ids ascending. */
  tokens: readonly TokenRecord[]
  pairs: readonly PairRecord[]
  events: readonly ResolvedEvent[]
  firstStates: readonly InitialPoolState[]
  /**
   * Concentrated pools of its events whose earlier balances are unknown: transfers since do not add
   * up to them.
   */
  unknownPools: ReadonlySet<number>
  /** Tokens whose holders are complete from this block on. */
  histories: readonly ScannedHolders[]
  /** totalSupply() after this block, for tokens whose transfers alone do not give it. */
  totals: ReadonlyMap<number, bigint>
  /** Traders' native balances after this block. A missing wallet was not read in time. */
  natives: ReadonlyMap<string, bigint>
  nativeUsd: NativeUsdPrice | null
}
