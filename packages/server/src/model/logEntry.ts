import type { BlockRef } from './block.ts'
import { amount, RecordType, wholeOrNull } from './describe.ts'
import type { FinishedBlock } from './finishedBlock.ts'
import type { MarketEvent } from './marketEvent.ts'
import type { TokenRecord, TokenSupply } from './token.ts'

/** Facts of a committed block that came after its budget; reverted with it. */
export type LateFacts = {
  ref: { number: number; hash: string }
  /** Better records of tokens already known (same id and address). */
  tokens: readonly TokenRecord[]
  supplies: readonly TokenSupply[]
  /** Of pairs that were discovered late. @default none */
  creations?: readonly PairCreation[] | undefined
  /** Of tokens. @default none */
  tokenCreations?: readonly TokenCreation[] | undefined
  /** After the block that they are told with. @default none */
  shares?: readonly PairShares[] | undefined
}

/** When a pair was made. Null: no node can tell any more; it is not looked for again. */
export type PairCreation = { pairId: number; createdAtS: number | null }

export const pairCreationType = new RecordType<PairCreation, 'pairId'>('pairId', {
  createdAtS: wholeOrNull(null),
})

/** When a token's contract was made. Null as of a pair. */
export type TokenCreation = { tokenId: number; createdAtS: number | null }

export const tokenCreationType = new RecordType<TokenCreation, 'tokenId'>('tokenId', {
  createdAtS: wholeOrNull(null),
})

/** How many shares of a pool there are, in raw units. */
export type PairShares = { pairId: number; total: bigint }

export const pairSharesType = new RecordType<PairShares, 'pairId'>('pairId', { total: amount(0n) })

/** What the log carries, in order. Applying all of them from the start gives the market. */
export type LogEntry =
  | { type: 'commit'; block: FinishedBlock }
  | { type: 'late'; facts: LateFacts }
  | { type: 'revert'; ref: BlockRef }
  | { type: 'finalize'; ref: { number: number; hash: string } }

/** An entry of a chain's log right after the chain's engine took it. */
export type AppliedEntry = {
  chain: string
  /** Its place in the log. */
  seq: number
  entry: LogEntry
  /** What it changed in the market. */
  events: readonly MarketEvent[]
}

/**
 * One who is told of every applied entry of a chain, in log order. Consumers of a chain stand in one list and are told in
 * its order: each may rely on those before it.
 */
export type EntryConsumer = {
  /** For logs, and for the log to know whose place it keeps. */
  name: string
  applied(applied: AppliedEntry): void
}
