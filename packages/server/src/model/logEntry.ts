import type { BlockRef } from './block.ts'
import type { FinishedBlock } from './finishedBlock.ts'
import type { MarketEvent } from './marketEvent.ts'
import { amountField, nullableWholeField, RecordCodec } from './recordType.ts'
import type { TokenRecord, TokenSupply } from './token.ts'

/** Facts of a committed block that arrived after its time budget; reverted with the block. */
export type LateFacts = {
  ref: { number: number; hash: string }
  /** Updated records of known tokens, with the same id and address. */
  tokens: readonly TokenRecord[]
  supplies: readonly TokenSupply[]
  /** Creation times of pairs discovered late. @default none */
  creations?: readonly PairCreation[] | undefined
  /** Creation times of tokens. @default none */
  tokenCreations?: readonly TokenCreation[] | undefined
  /** Numbers of liquidity-provider shares after the block. @default none */
  shares?: readonly PairShares[] | undefined
}

/** Creation time of a pair. Null if no node can tell any more; then it is not searched again. */
export type PairCreation = { pairId: number; createdAtS: number | null }

export const pairCreationCodec = new RecordCodec<PairCreation, 'pairId'>('pairId', {
  createdAtS: nullableWholeField(null),
})

/** Creation time of a token's contract. Null as for a pair. */
export type TokenCreation = { tokenId: number; createdAtS: number | null }

export const tokenCreationCodec = new RecordCodec<TokenCreation, 'tokenId'>('tokenId', {
  createdAtS: nullableWholeField(null),
})

/** Number of a pool's liquidity-provider shares, in raw units. */
export type PairShares = { pairId: number; total: bigint }

export const pairSharesCodec = new RecordCodec<PairShares, 'pairId'>('pairId', {
  total: amountField(0n),
})

/** Entries of a chain's log. Applying all of them in order produces the market. */
export type LogEntry =
  | { type: 'commit'; block: FinishedBlock }
  | { type: 'late'; facts: LateFacts }
  | { type: 'revert'; ref: BlockRef }
  | { type: 'finalize'; ref: { number: number; hash: string } }

/** A log entry that the chain's engine has just applied. */
export type AppliedEntry = {
  chain: string
  /** Number of the entry in its chain's log. */
  seq: number
  entry: LogEntry
  /** Changes of the market by the entry. */
  events: readonly MarketEvent[]
}

/**
 * Receives every applied entry of a chain, in log order. The consumers of a chain are called in
 * list order, so each may rely on earlier ones.
 */
export type EntryConsumer = {
  /** Name in logs, and key of the consumer's position in the log. */
  name: string
  onApplied(applied: AppliedEntry): void
}
