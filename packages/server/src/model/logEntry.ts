import type { BlockRef } from './block.ts'
import type { FinishedBlock } from './finishedBlock.ts'
import type { TokenRecord, TokenSupply } from './token.ts'

/** Facts of a committed block that came after its budget; reverted with it. */
export type LateFacts = {
  ref: { number: number; hash: string }
  /** Better records of tokens already known (same id and address). */
  tokens: readonly TokenRecord[]
  supplies: readonly TokenSupply[]
  /** Of pairs that were discovered late. @default none */
  creations?: readonly PairCreation[] | undefined
}

/** When a pair was made. Null: no node can tell any more; it is not looked for again. */
export type PairCreation = { pairId: number; createdAtS: number | null }

/** What the log carries, in order. Applying all of them from the start gives the market. */
export type LogEntry =
  | { type: 'commit'; block: FinishedBlock }
  | { type: 'late'; facts: LateFacts }
  | { type: 'revert'; ref: BlockRef }
  | { type: 'finalize'; ref: { number: number; hash: string } }
