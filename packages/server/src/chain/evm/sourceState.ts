import { setMaxListeners } from 'node:events'
import type { ChainEvent } from '../../model/block.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import { createFollowState, type FollowOptions, type FollowState } from '../follow.ts'
import { createLogRange, type RangeContext } from './fetch/rangeLogs.ts'
import type { EvmRpc } from './rpc/evmRpc.ts'
import { createBloomIndex, withBits } from './verify/bloom.ts'
import { createFailedChecks } from './verify/failedChecks.ts'
import {
  createHashForm,
  createHeaderReader,
  type HashForm,
  isHeaderFormListed,
  isReceiptFormListed,
} from './verify/headerReader.ts'
import type { NodeChecks } from './verify/validateBlock.ts'

export type EvmChainEvent = ChainEvent<EvmBlock>

export type EvmBlockSourceOptions = Omit<FollowOptions, 'startNumber'> & {
  rpc: EvmRpc
  /** First block wanted when nothing is known. */
  startBlock: number
  /** Between two looks at the head where no WebSocket announces it. */
  pollMs: number
  backfill: BackfillOptions
  /** First topics of the logs wanted; all others are left out. */
  topics0: readonly string[]
  /** Contracts whose other logs are noted in blocks that are read whole. @default none */
  watched?: readonly string[] | undefined
  /** Take eth_getBlockReceipts where a node has it. @default false */
  prefersReceipts?: boolean | undefined
  /**
   * Ask for all logs of a block and keep the wanted ones: every missing log is then noticed. Costs bytes.
   * @default { block: true, range: false }
   */
  isComplete?: { block: boolean; range: boolean } | undefined
  /** Where ranges are of wanted logs only: one block in so many is read whole and compared. 0: none. @default 200 */
  sampleEveryBlocks?: number | undefined
  /**
   * Read of final history only blocks with wanted logs, ends of ranges and a sample, where logs come by ranges of wanted
   * ones. Blocks then link to the one before them in the stream. @default false
   */
  isSparse?: boolean | undefined
  /** Rules this chain is known to break. @default all checked */
  checks?: Partial<SourceChecks> | undefined
  /** EIP-155; says whether the form of its headers is known from the start. @default it is learnt */
  chainId?: number | undefined
  /** Seconds a block may be ahead of the clock on one endpoint's word; 0: any number. @default 0 */
  headerAheadSMax?: number | undefined
  clock: { nowMs(): number }
}

type SourceChecks = NodeChecks & {
  /** The fields of a header make up its hash. */
  headerHash: boolean
  /** Receipts make up the root in their header. */
  receiptsRoot: boolean
}

export type BackfillOptions = {
  /** Blocks in one range, at most; ranges shrink to what the nodes bear. */
  rangeBlocks: number
  /** Ranges under way at once. */
  parallelRanges: number
  /** Blocks fetched ahead of the reader, at most. @default rangeBlocks * parallelRanges */
  prefetchBlocksMax?: number | undefined
}

/** What the steps of one source share. */
export type SourceState = FollowState & {
  readonly context: RangeContext
  /** Of final history, blocks without wanted logs are left unread, but for a sample. */
  readonly isSparse: boolean
  /** How far a block's time may be ahead of the clock; 0: any number of seconds. */
  readonly headerAheadSMax: number
  /** Unix seconds, as the newest head reports; 0: no node has reported one yet. */
  headTimeS: number
  /** Newest head a node answered with; an announcement alone makes nothing final. */
  askedHeadNumber: number
  /** Unix seconds, as that head reports. */
  askedHeadTimeS: number
  /** When the node is asked for its final block, or for an old one, again. */
  tagAskAtMs: number
  /** How far below the head a block is looked for that is old enough to be final. Grows with the block rate. */
  oldDepth: number
  /** A node has reported a final block in this run. */
  isTagSeen: boolean
  /** No node reports one. */
  isTagMissing: boolean
}

// Three calls more for every 200: what a node leaves out is noticed soon, at one or two percent of the calls.
const sampleEveryBlocksDefault = 200
// A minute of blocks of a second.
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
  // Every request listens to it: there are as many as ranges and batches under way.
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
): HashForm {
  return createHashForm({ chain, what, isListed, logger })
}
