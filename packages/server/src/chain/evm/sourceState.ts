import type { Logger } from '../../lib/logger.ts'
import type { ChainEvent, NodeFault } from '../../model/block.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import type { Finality } from '../../model/trust/finality.ts'
import type { ChainWindow } from '../chainWindow.ts'
import type { RangeContext } from './fetch/rangeLogs.ts'
import type { RateMeter } from './fetch/rateMeter.ts'

export type EvmChainEvent = ChainEvent<EvmBlock>

/** Last block given out and not reverted. `hash` null: nothing yet, any first block will do. */
export type Cursor = { number: number; hash: string | null; timeS: number }

/** What the steps of one source share. */
export type SourceState = {
  readonly context: RangeContext
  /** Where another branch may part from ours. */
  readonly window: ChainWindow
  readonly startBlock: number
  readonly reorgDepthMax: number
  readonly finality: Finality
  /** Of final history, blocks without wanted logs are left unread, but for a sample. */
  readonly isSparse: boolean
  /** How far a block's time may be ahead of the clock; 0: as far as it likes. */
  readonly headerAheadSMax: number
  readonly signal: AbortSignal
  readonly logger: Logger
  readonly blockRate: RateMeter
  readonly logRate: RateMeter
  /** Who told of the logs of the newest blocks given out, by hash, oldest first. */
  readonly origins: Map<string, { endpoint: number; hasProvenLogs: boolean }>
  cursor: Cursor
  /** Blocks that whoever reads us holds in memory and can revert: as many as came, up to reorgDepthMax. */
  heldCount: number
  /** Newest head a node told of; may be behind the cursor for a moment. */
  headNumber: number
  /** Unix seconds, as that head says; 0: no node told of one yet. */
  headTimeS: number
  /** Newest head a node answered with; an announcement alone makes nothing final. */
  askedHeadNumber: number
  /** Unix seconds, as that head says. */
  askedHeadTimeS: number
  /** Never goes back; nothing at or below it is reverted. */
  finalizedNumber: number
  /** Newest block that is final on the chain, whether we have it yet or not. Never goes back. */
  horizonNumber: number
  /** When the node is asked for its final block, or for an old one, again. */
  tagAskAtMs: number
  /** How far below the head a block is looked for that is old enough to be final. Grows with the block rate. */
  oldDepth: number
  /** A node has told of a final block in this run. */
  isTagSeen: boolean
  /** No node tells of one. */
  isTagMissing: boolean
  reorgCount: number
  lastError: NodeFault | null
}
