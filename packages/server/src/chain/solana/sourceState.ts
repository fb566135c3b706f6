import type { Logger } from '../../lib/logger.ts'
import type { ChainEvent, NodeFault } from '../../model/block.ts'
import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import type { Finality } from '../../model/trust/finality.ts'
import type { ChainWindow } from '../chainWindow.ts'
import type { FetchContext } from './fetchBlock.ts'

export type SolanaChainEvent = ChainEvent<SolanaBlock>

/** Last block given out and not reverted. `hash` null: nothing yet, any first block will do. */
export type Cursor = { number: number; hash: string | null; timeS: number }

/** What the steps of one source share. */
export type SourceState = {
  readonly context: FetchContext
  /** Where another branch may part from ours. */
  readonly window: ChainWindow
  readonly startSlot: number
  readonly reorgDepthMax: number
  readonly finality: Finality
  readonly parallelBlocks: number
  /** Blocks are given out that the chain may go on without. */
  readonly isProcessed: boolean
  readonly signal: AbortSignal
  readonly logger: Logger
  /** Who told of the newest blocks given out, by hash, oldest first. */
  readonly origins: Map<string, number>
  cursor: Cursor
  /** Blocks that whoever reads us holds in memory and can revert: as many as came, up to reorgDepthMax. */
  heldCount: number
  headNumber: number
  /** Never goes back; nothing at or below it is reverted. */
  finalizedNumber: number
  /** Newest slot that is final on the chain, whether we have its blocks yet or not. Never goes back. */
  horizonNumber: number
  /** When nodes are asked for their final slot again. */
  finalAskAtMs: number
  /** When nodes are asked for their newest slot though blocks come without. */
  headAskAtMs: number
  lastError: NodeFault | null
}

/** Blocks given out up to this one are never reverted, nor those up to it that are still to come. */
export function settledNumber({ finalizedNumber, horizonNumber }: SourceState): number {
  return Math.max(finalizedNumber, horizonNumber)
}
