import type { BlockRef } from './block.ts'
import type {
  DecodedBalance,
  DecodedFlow,
  DecodedGraduation,
  DecodedLaunch,
  DecodedLiquidity,
  DecodedSwap,
  DecodedSync,
  DecodedTransfer,
  PoolMention,
} from './decodedBlock.ts'
import type { NativeUsd } from './finishedBlock.ts'
import type { PairRecord } from './pair.ts'
import type { TokenRecord } from './token.ts'

export type ResolvedSwap = Omit<DecodedSwap, keyof PoolMention | 'curve'> & { pair: PairRecord }
export type ResolvedLiquidity = Omit<DecodedLiquidity, keyof PoolMention> & { pair: PairRecord }
export type ResolvedSync = Omit<DecodedSync, keyof PoolMention> & { pair: PairRecord }
/** The account of a pool inside a vault changes by so much. */
export type ResolvedFlow = Pick<DecodedFlow, 'type' | 'index' | 'txHash' | 'pool' | 'amount'> & {
  account: string
  tokenId: number
}
export type ResolvedTransfer = Omit<DecodedTransfer, 'token'> & { tokenId: number }
export type ResolvedBalance = Omit<DecodedBalance, 'token'> & { tokenId: number }
/**
 * The transfer, balance or flow of this index, or an event of another couple, changed what a pool has, and neither another one nor an event of the
 * pool itself does so after it in the block. Or, before all else: the block has the first state of a pool and nothing
 * more of it.
 */
export type ResolvedReserveChange = { type: 'reserve_change'; index: number; pair: PairRecord }
/** `creator` is empty where the curve is discovered after its launch: the first event of it that is seen is taken for the launch. */
export type ResolvedLaunch = Omit<
  DecodedLaunch,
  'platform' | 'pool' | 'token0' | 'token1' | 'venues'
> & {
  pair: PairRecord
  tokenId: number
}
export type ResolvedCurve = { type: 'curve'; index: number; pairId: number; filledPpm: number }
export type ResolvedGraduation = Omit<DecodedGraduation, 'curve' | 'pool' | 'terms'> & {
  tokenId: number
  curvePairId: number
  pairId: number
}

export type ResolvedEvent =
  | ResolvedSwap
  | ResolvedLiquidity
  | ResolvedSync
  | ResolvedTransfer
  | ResolvedFlow
  | ResolvedBalance
  | ResolvedReserveChange
  | ResolvedLaunch
  | ResolvedCurve
  | ResolvedGraduation

/** A pool as it stood before the block; for pools whose events do not tell. Null: not known. */
export type FirstState = {
  pair: PairRecord
  reserve0: bigint | null
  reserve1: bigint | null
  priceRaw: number | null
  reserveOthers?: readonly bigint[] | null | undefined
  told?: readonly bigint[] | undefined
  /** Blocks before have events of it, and nobody could tell until now. */
  wasUnknown: boolean
}

/** Every holder of a token as it stood before the block: the sum of all its earlier transfers. */
export type TokenHistory = {
  tokenId: number
  /** May hold zero and, where a token's transfers contradict each other, negative sums. */
  balances: ReadonlyMap<string, bigint>
  /** Sent to the zero address so far: some tokens leave it in their total supply. */
  voided: bigint
  /** totalSupply() before the block; null when it was not read. */
  totalSupply: bigint | null
  /** The token says of its largest holders otherwise: it rebases, or pays them without a transfer. @default false */
  isContradicted?: boolean | undefined
}

/** A block whose addresses have become ids, with all that had to be read for it. Events are in index order. */
export type ResolvedBlock = {
  ref: BlockRef
  receivedMs: number
  /** False while catching up: nobody waits for this block, so reads may take their time. */
  isLive: boolean
  /** First seen in this block, ids ascending. */
  tokens: readonly TokenRecord[]
  pairs: readonly PairRecord[]
  events: readonly ResolvedEvent[]
  firstStates: readonly FirstState[]
  /** Concentrated pools of its events whose balances before it nobody told: transfers since do not add up to them. */
  unknownPools: ReadonlySet<number>
  /** Tokens whose holders are complete from this block on. */
  histories: readonly TokenHistory[]
  /** totalSupply() after this block, of tokens whose total is not known from their transfers alone. */
  totals: ReadonlyMap<number, bigint>
  /** Traders' native balances after this block; a wallet that is not here was not read in time. */
  natives: ReadonlyMap<string, bigint>
  nativeUsd: NativeUsd | null
}
