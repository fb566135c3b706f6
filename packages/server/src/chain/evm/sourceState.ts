import { setMaxListeners } from 'node:events'
import type { ChainEvent } from '../../model/block.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import { createFollowState, type FollowOptions, type FollowState } from '../follow.ts'
import { createLogRange, type RangeContext } from './fetch/rangeLogs.ts'
import type { EvmRpc } from './rpc/evmRpc.ts'
import { createBloomIndex, withBits } from './verify/bloom.ts'
import { createFailedChecks } from './verify/failedChecks.ts'
import {
  createHashFormat,
  createHeaderReader,
  type HashFormat,
  isHeaderFormListed,
  isReceiptFormListed,
} from './verify/headerReader.ts'
import type { NodeChecks } from './verify/validateBlock.ts'

export type EvmChainEvent = ChainEvent<EvmBlock>

export type EvmBlockSourceOptions = Omit<FollowOptions, 'startNumber'> & {
  rpc: EvmRpc
  /** First block to index if no block is known. */
  startBlock: number
  /** Interval of head polling without a WebSocket. */
  pollMs: number
  backfill: BackfillOptions
  /** First topics of relevant logs; other logs are dropped. */
  topics0: readonly string[]
  /** Contracts whose other logs are counted in blocks that are read whole. @default none */
  watched?: readonly string[] | undefined
  /** Uses eth_getBlockReceipts where a node supports it. @default false */
  prefersReceipts?: boolean | undefined
  /**
   * Requests all logs of a block and keeps the relevant ones, so that every missing log is
   * detected. Costs bytes. @default { block: true, range: false }
   */
  isComplete?: { block: boolean; range: boolean } | undefined
  /**
   * For ranges of relevant logs only: one block out of this many is read whole and compared. 0
   * disables the sample. @default 200
   */
  sampleEveryBlocks?: number | undefined
  /**
   * For final history with ranges of relevant logs: reads only blocks with relevant logs, ends of
   * ranges and a sample. Blocks then link to the previous block in the stream. @default false
   */
  isSparse?: boolean | undefined
  /** Turns off checks that this chain fails by design. @default all checks on */
  checks?: Partial<SourceChecks> | undefined
  /**
   * Chain id (EIP-155), which tells how headers are hashed. @default the hashing is learned from
   * the first headers
   */
  chainId?: number | undefined
  /**
   * Seconds a block may be ahead of the clock if only one endpoint reports it; 0: any number.
   * @default 0
   */
  headerAheadSMax?: number | undefined
  clock: { nowMs(): number }
}

type SourceChecks = NodeChecks & {
  /** Header fields must hash to the block's hash. */
  headerHash: boolean
  /** Receipts must hash to the root in their header. */
  receiptsRoot: boolean
}

export type BackfillOptions = {
  /** Largest range in blocks; ranges shrink to what the nodes accept. */
  rangeBlocks: number
  /** Number of ranges requested at once. */
  parallelRanges: number
  /**
   * Largest number of blocks fetched ahead of the consumer. @default rangeBlocks * parallelRanges
   */
  prefetchBlocksMax?: number | undefined
}

/** State shared by the steps of one source. */
export type SourceState = FollowState & {
  readonly context: RangeContext
  /** Final blocks without relevant logs stay unread, except for a sample. */
  readonly isSparse: boolean
  /** Seconds a block's time may be ahead of the clock; 0: any number. */
  readonly headerAheadSMax: number
  /** Time of the newest head in Unix seconds; 0 before the first one is known. */
  headTimeS: number
  /** Newest head that a node answered with. An announced head makes no block final. */
  askedHeadNumber: number
  /** Time of the head `askedHeadNumber` in Unix seconds. */
  askedHeadTimeS: number
  /** Time of the next request for the node's final block, or for an old enough one. */
  tagAskAtMs: number
  /**
   * Distance below the head at which the search for a block old enough to be final starts. Grows
   * with the block rate.
   */
  oldDepth: number
  /** True once a node has reported a final block in this run. */
  isTagSeen: boolean
  /** True if no node reports a final block. */
  isTagMissing: boolean
}

// Three extra calls per 200 blocks: omissions are detected soon, for one or two percent of the
// calls.
const sampleEveryBlocksDefault = 200
// A minute of one-second blocks.
const oldDepthFirst = 60

export function createState(options: EvmBlockSourceOptions): SourceState {
  const { chain, rpc, topics0, logger } = options
  const nowMs = () => options.clock.nowMs()
  const { rangeBlocks } = options.backfill
  const {
    headerHash = true,
    receiptsRoot = true,
    ...checks
  } = {
    bloom: true,
    transactions: true,
    logIndexes: true,
    ...options.checks,
  }
  const form = formOf(options, 'headers', isHeaderFormListed(options.chainId))
  const receipts = formOf(options, 'receipts', isReceiptFormListed(options.chainId))
  const index = createBloomIndex()
  const wanted = withBits(new Set(topics0.map((topic) => topic.toLowerCase())), index)
  // Every pending request listens to the signal, as many as ranges and batches are in flight.
  setMaxListeners(0, options.signal)
  return {
    ...createFollowState({ ...options, startNumber: options.startBlock }),
    context: {
      chain,
      rpc,
      topics0: [...wanted.keys()],
      validation: {
        checks,
        wanted,
        index,
        watched: new Set(options.watched?.map((address) => address.toLowerCase())),
        receipts: receiptsRoot ? receipts : null,
      },
      headers: createHeaderReader(headerHash ? form : null),
      failedChecks: createFailedChecks({ chain, nowMs, logger }),
      prefersReceipts: options.prefersReceipts ?? false,
      isComplete: options.isComplete ?? { block: true, range: false },
      sampleEveryBlocks: options.sampleEveryBlocks ?? sampleEveryBlocksDefault,
      nowMs,
      logRange: createLogRange({ blocks: rangeBlocks, blocksMax: rangeBlocks }),
      distrusted: new Set(),
    },
    isSparse: options.isSparse ?? false,
    headerAheadSMax: options.headerAheadSMax ?? 0,
    headTimeS: 0,
    askedHeadNumber: -1,
    askedHeadTimeS: 0,
    tagAskAtMs: Number.NEGATIVE_INFINITY,
    oldDepth: oldDepthFirst,
    isTagSeen: false,
    isTagMissing: false,
  }
}

function formOf(
  { chain, logger }: EvmBlockSourceOptions,
  what: string,
  isListed: boolean,
): HashFormat {
  return createHashFormat({ chain, what, isListed, logger })
}
