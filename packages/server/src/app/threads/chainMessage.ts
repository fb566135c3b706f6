import type { Ancestor } from '../../chain/errors.ts'
import type { LogTerms } from '../../lib/logger.ts'
import type { NodeFault } from '../../model/block.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { ErrorFacts } from '../errors.ts'
import type { PipelineProgress, PipelineStart } from '../pipeline/chainPipeline.ts'
import type { HandedEntry } from '../pipeline/handedEntry.ts'

/** What a chain's thread is started with: enough to load its code. */
export type ChainThreadKind = { kind: string }

/** What it is opened with. */
export type ChainThreadData = {
  start: PipelineStart
  chainId: number
  /** Of the newest entry that the store had then. */
  storedSeq: number
  connection: StoreConnection
  log: LogTerms
}

export type ChainThreadMessage =
  | { type: 'entries'; entries: HandedEntry[] }
  | { type: 'progress'; progress: PipelineProgress }
  /** It cannot begin to read the chain. */
  | { type: 'waiting'; fault: NodeFault }
  /** Blocks from here on are not what the chain says, deeper than memory holds: the thread has ended, and the store reverts them. */
  | { type: 'rewind'; ancestor: Ancestor }
  | { type: 'failed'; error: ErrorFacts }

export type ChainThreadOrder =
  /** The first one, once. */
  | { type: 'open'; data: ChainThreadData }
  /** So many entries were applied: there is room for as many. */
  | { type: 'applied'; count: number }
  | { type: 'persisted'; seq: number; number: number }
  /** What the native coin is worth on the chain that this one takes its price from. */
  | { type: 'nativeUsd'; price: NativeUsd }
  | { type: 'stop' }
