import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { type BlockRef, isNearHead, type NodeFault } from '../../model/block.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import type { Finality } from '../../model/trust/finality.ts'
import { unsettledBlocksMaxOf } from '../../model/trust/finality.ts'
import { createChainWindow } from '../chainWindow.ts'
import { nodeFaultOf, RpcError } from '../errors.ts'
import { type BackfillOptions, backfill } from './backfill.ts'
import { deliver, turn } from './deliver.ts'
import {
  type FetchedBlock,
  fetchBlock,
  fetchBlockByNumber,
  fetchHeader,
} from './fetch/fetchBlock.ts'
import { fetchRun } from './fetch/fetchRun.ts'
import { createLogRange } from './fetch/logRanges.ts'
import { createRateMeter } from './fetch/rateMeter.ts'
import { findFinalized, settledNumber } from './heads/finality.ts'
import { createHeads, type Head, type Urgency } from './heads/heads.ts'
import type { EvmRpc } from './rpc/evmRpc.ts'
import type { EvmChainEvent, SourceState } from './sourceState.ts'
import { createBloomIndex, withBits } from './verify/bloom.ts'
import { checkLive } from './verify/checkSample.ts'
import { createFailedChecks } from './verify/failedChecks.ts'
import {
  createHashForm,
  type HashForm,
  isHeaderFormListed,
  isReceiptFormListed,
} from './verify/hashForm.ts'
import { createHeaderReader } from './verify/headerReader.ts'
import { type Review, reviewBlock } from './verify/reviewBlock.ts'
import { type Opinion, secondOpinion } from './verify/secondOpinion.ts'
import type { NodeChecks } from './verify/validateBlock.ts'

export type EvmBlockSourceOptions = {
  chain: string
  rpc: EvmRpc
  /** First block wanted when nothing is known. */
  startBlock: number
  /** Newest blocks already processed, oldest first, linked; the last is the cursor. */
  known: readonly BlockRef[]
  /** Newest block known to be final: nothing at or below it is reverted. */
  finalizedNumber?: number | undefined
  /** Blocks that are reverted one by one; what is deeper and not final ends the events with a ReorgDeepError. */
  reorgDepthMax: number
  finality: Finality
  /** Between two looks at the head where no WebSocket announces it. */
  pollMs: number
  /** After a first failure of all endpoints; doubles with each, up to 15 s. @default 250 */
  retryMs?: number | undefined
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
  logger: Logger
  signal: AbortSignal
}

type SourceChecks = NodeChecks & {
  /** The fields of a header make up its hash. */
  headerHash: boolean
  /** Receipts make up the root in their header. */
  receiptsRoot: boolean
}

type ChainProgress = {
  /** First block of this run's history. */
  startNumber: number
  headNumber: number
  /** Unix seconds, as the head says; 0: no node has reported one yet. */
  headTimeS: number
  finalizedNumber: number
  /** Blocks up to this one are never reverted once they are given out. */
  settledNumber: number
  cursorNumber: number
  /** The cursor is at the head, or a few blocks or seconds behind it. */
  isLive: boolean
  blocksPerS: number
  logsPerS: number
  reorgCount: number
  /** Blocks in one eth_getLogs at present. */
  rangeBlocks: number
  lastError: NodeFault | null
  /** Checks that no endpoint passes, as a sentence without a full stop; null: none. */
  failedCheck: string | null
}

type BlockSource = {
  /** Once. Ends when the signal is aborted; the reader's pace is the source's pace. */
  events(): AsyncIterable<EvmChainEvent>
  progress(): ChainProgress
  /** What other endpoints, or its receipts, say of the logs of a block that was given out. */
  confirm(block: EvmBlock): Promise<Opinion>
  /** What they say by now of a block whose logs had this digest. */
  review(block: { hash: string; digest: string }): Promise<Review>
}

// Up to this many blocks behind the head are fetched one by one, as whole blocks by hash. A matter of calls, not of time.
const liveGapMax = 8
// Three calls more for every 200: what a node leaves out is noticed soon, at one or two percent of the calls.
const sampleEveryBlocksDefault = 200
// A minute of blocks of a second.
const oldDepthFirst = 60
const retryMsDefault = 250
const retryMsMax = 15_000

export function createEvmBlockSource(options: EvmBlockSourceOptions): BlockSource {
  const { clock } = options
  const state = createState(options)
  let isStarted = false
  return {
    events() {
      assert(!isStarted, 'The events of a source can be read once')
      isStarted = true
      return run(state, options)
    },
    async confirm(block) {
      const origin = state.origins.get(block.ref.hash)
      if (origin?.hasProvenLogs) return { type: 'right' }
      const told = { block, endpoint: origin?.endpoint ?? -1 }
      return secondOpinion(state.context, told, options.signal)
    },
    review: (block) => reviewBlock(state.context, block, options.signal),
    progress: () => ({
      startNumber: options.startBlock,
      headNumber: state.headNumber,
      headTimeS: state.headTimeS,
      finalizedNumber: state.finalizedNumber,
      settledNumber: settledNumber(state),
      cursorNumber: state.cursor.number,
      isLive: isLive(state),
      blocksPerS: state.blockRate.perS(clock.nowMs()),
      logsPerS: state.logRate.perS(clock.nowMs()),
      reorgCount: state.reorgCount,
      rangeBlocks: state.context.logRange.blocks(),
      lastError: state.lastError,
      failedCheck: state.context.failedChecks.summary(),
    }),
  }
}

function isLive({ cursor, headNumber, headTimeS }: SourceState): boolean {
  return headNumber >= 0 && isNearHead(cursor, { number: headNumber, timeS: headTimeS })
}

function createState(options: EvmBlockSourceOptions): SourceState {
  const { chain, rpc, known, reorgDepthMax, finality, startBlock, topics0, logger } = options
  const nowMs = () => options.clock.nowMs()
  const tip = known.at(-1)
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
    window: createChainWindow(known, Math.max(reorgDepthMax, unsettledBlocksMaxOf(finality))),
    startBlock,
    reorgDepthMax,
    finality,
    isSparse: options.isSparse ?? false,
    headerAheadSMax: options.headerAheadSMax ?? 0,
    signal: options.signal,
    logger,
    blockRate: createRateMeter(),
    logRate: createRateMeter(),
    heldCount: Math.min(known.length, reorgDepthMax),
    origins: new Map(),
    cursor: tip ?? { number: startBlock - 1, hash: null, timeS: 0 },
    headNumber: -1,
    headTimeS: 0,
    askedHeadNumber: -1,
    askedHeadTimeS: 0,
    finalizedNumber: options.finalizedNumber ?? -1,
    horizonNumber: -1,
    tagAskAtMs: Number.NEGATIVE_INFINITY,
    oldDepth: oldDepthFirst,
    isTagSeen: false,
    isTagMissing: false,
    reorgCount: 0,
    lastError: null,
  }
}

function formOf(
  { chain, logger }: EvmBlockSourceOptions,
  what: string,
  isListed: boolean,
): HashForm {
  return createHashForm({ chain, what, isListed, logger })
}

/** Steps until stopped. Whatever a node does wrong, the next step starts from the cursor again. */
async function* run(
  state: SourceState,
  options: EvmBlockSourceOptions,
): AsyncGenerator<EvmChainEvent> {
  const { context, signal, logger } = state
  const heads = createHeads({ context, pollMs: options.pollMs, logger, signal })
  const retryMs = options.retryMs ?? retryMsDefault
  let failures = 0
  let urgency: Urgency = 'now'
  let isChecked = options.known.length === 0
  try {
    while (!signal.aborted) {
      try {
        // Of an earlier run; not told while the nodes are behind us.
        if (!isChecked) isChecked = yield* isStanding(state)
        const head = await heads.next(urgency)
        const from = state.cursor.number
        if (head !== null) yield* advance(state, options, head)
        const hasMore = state.headNumber > state.cursor.number
        if (!hasMore) urgency = 'idle'
        else urgency = state.cursor.number > from ? 'now' : 'soon'
        failures = 0
        state.lastError = null
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof AppError) || !(error.retryable || error instanceof RpcError))
          throw error
        state.lastError = nodeFaultOf(error)
        const delayMs = Math.min(retryMsMax, retryMs * 2 ** failures)
        failures += 1
        logger.warn({
          msg: 'Chain step failed',
          chain: context.chain,
          error: error.message,
          delayMs,
        })
        await sleep(delayMs, undefined, { signal }).catch(() => undefined)
      }
    }
  } finally {
    heads.close()
  }
}

async function* advance(
  state: SourceState,
  options: EvmBlockSourceOptions,
  { header, endpoint }: Head,
): AsyncGenerator<EvmChainEvent> {
  const { cursor } = state
  state.headNumber = header.number
  state.headTimeS = header.timeS
  if (endpoint >= 0) {
    state.askedHeadNumber = header.number
    state.askedHeadTimeS = header.timeS
  }
  // A node behind us is waited for: its head says nothing about our blocks.
  if (header.number < cursor.number) return
  if (header.number === cursor.number) {
    if (cursor.hash !== null && header.hash !== cursor.hash)
      return yield* turn(state, header, endpoint)
  } else if (header.number - cursor.number > liveGapMax) {
    // After a time without an answer our newest blocks may be as deep as final ones are, and be replaced nevertheless.
    if (!(yield* isStanding(state))) return
    yield* backfill(state, options.backfill, header.number)
  } else if (!(yield* follow(state, header))) return
  const finalized = await findFinalized(state)
  if (finalized !== null) yield finalized
}

/** Is the newest block canonical? If it is not, it is reverted. */
async function* isStanding(state: SourceState): AsyncGenerator<EvmChainEvent, boolean> {
  const { context, signal, cursor } = state
  if (cursor.hash === null) return true
  const found = await fetchHeader(context, cursor.number, { signal })
  if (found === null) return false
  if (found.header.hash === cursor.hash) return true
  yield* turn(state, found.header, found.endpoint)
  return false
}

/**
 * The last blocks up to a head: one by its hash, several together. False: none of them follows our newest. While one
 * request is under way, heads of a fast chain pile up, and the next request takes all of them.
 */
async function* follow(
  state: SourceState,
  head: Head['header'],
): AsyncGenerator<EvmChainEvent, boolean> {
  const { context, signal } = state
  let isFollowing = false
  let takesRuns = true
  while (state.cursor.number < head.number && !signal.aborted) {
    const from = state.cursor.number + 1
    let blocks: readonly FetchedBlock[] = []
    if (takesRuns && from < head.number) {
      const run = await fetchRun(context, from, head, { signal })
      blocks = run.blocks
      takesRuns = !run.isCut
    }
    if (blocks.length === 0) blocks = await fetchNext(state, head)
    if (blocks.length === 0) return isFollowing
    for (const block of blocks) {
      if (!(yield* deliver(state, await checkLive(context, block, signal)))) return false
      isFollowing = true
    }
  }
  return isFollowing
}

/** The block after the cursor, the head itself by its hash; empty: no node has it. */
async function fetchNext(
  { context, signal, cursor }: SourceState,
  head: Head['header'],
): Promise<readonly FetchedBlock[]> {
  const number = cursor.number + 1
  const fetched =
    number === head.number
      ? await fetchBlock(context, head.hash, { signal })
      : await fetchBlockByNumber(context, number, { signal })
  return fetched?.block.ref.number === number ? [fetched] : []
}
