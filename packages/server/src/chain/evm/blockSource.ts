import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { type BlockSourceProgress, isNearHead } from '../../model/block.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import { irreversibleNumberOf, progressOf, runSteps } from '../follow.ts'
import { deliver, refOf, switchToBranch, withVerifiedTime } from './deliver.ts'
import {
  type FetchedBlock,
  fetchBlock,
  fetchBlockByNumber,
  fetchHeader,
} from './fetch/fetchBlock.ts'
import { fetchRange, type RangeBlocks } from './fetch/fetchRange.ts'
import { fetchRun } from './fetch/fetchRun.ts'
import { findFinalized } from './heads/finality.ts'
import { createHeads, type Head, type HeadUrgency } from './heads/heads.ts'
import {
  type BackfillOptions,
  createState,
  type EvmBlockSourceOptions,
  type EvmChainEvent,
  type SourceState,
} from './sourceState.ts'
import { checkLive } from './verify/checkSample.ts'
import { type Opinion, type Review, reviewBlock, secondOpinion } from './verify/secondOpinion.ts'

type BlockSource = {
  /**
   * Events of the chain; may be called once. Ends when the signal is aborted. The source reads no
   * faster than its consumer.
   */
  events(): AsyncIterable<EvmChainEvent>
  progress(): BlockSourceProgress & { reorgCount: number }
  /** Verifies the logs of a delivered block by its receipts or by other endpoints. */
  confirm(block: EvmBlock): Promise<Opinion>
  /** Verifies a block of an earlier run, whose logs had this digest. */
  review(block: { hash: string; digest: string }): Promise<Review>
}

// Within this distance from the head, blocks are fetched whole and by hash. The limit bounds calls,
// not time.
const liveGapMax = 8

export function createEvmBlockSource(options: EvmBlockSourceOptions): BlockSource {
  const state = createState(options)
  const { context, signal } = state
  let isStarted = false
  return {
    events() {
      assert(!isStarted, 'The events of a source can be read once')
      isStarted = true
      return run(state, options)
    },
    async confirm(block) {
      const origin = state.origins.get(block.ref.hash)
      if (origin?.isProven) return { type: 'right' }
      return secondOpinion(context, { block, endpoint: origin?.endpoint ?? -1 }, signal)
    },
    review: (block) => reviewBlock(context, block, signal),
    progress: () => ({
      ...progressOf(state),
      headTimeS: state.headTimeS,
      isLive: isLive(state),
      reorgCount: state.reorgCount,
      failedCheck: context.failedChecks.summary(),
    }),
  }
}

function isLive({ cursor, headNumber, headTimeS }: SourceState): boolean {
  return headNumber >= 0 && isNearHead(cursor, { number: headNumber, timeS: headTimeS })
}

async function* run(
  state: SourceState,
  options: EvmBlockSourceOptions,
): AsyncGenerator<EvmChainEvent> {
  const { context, signal, logger } = state
  const heads = createHeads({ context, pollMs: options.pollMs, logger, signal })
  let urgency: HeadUrgency = 'now'
  let isChecked = options.known.length === 0
  async function* step(): AsyncGenerator<EvmChainEvent> {
    // The newest block of an earlier run is unknown to nodes that lag behind it.
    if (!isChecked) isChecked = yield* isTipCanonical(state)
    const head = await heads.next(urgency)
    const from = state.cursor.number
    if (head !== null) yield* advance(state, options, head)
    const hasMore = state.headNumber > state.cursor.number
    if (!hasMore) urgency = 'idle'
    else urgency = state.cursor.number > from ? 'now' : 'soon'
  }
  try {
    yield* runSteps(state, step)
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
  // A lagging node is waited for: its head says nothing about the blocks above it.
  if (header.number < cursor.number) return
  if (header.number === cursor.number) {
    if (cursor.hash !== null && header.hash !== cursor.hash)
      return yield* switchToBranch(state, { ref: refOf(header), endpoint })
  } else if (header.number - cursor.number > liveGapMax) {
    // After a long time without answers, blocks as deep as final ones may have been replaced.
    if (!(yield* isTipCanonical(state))) return
    yield* backfill(state, options.backfill, header.number)
  } else if (!(yield* advanceLive(state, header))) return
  const finalized = await findFinalized(state)
  if (finalized !== null) yield finalized
}

/** Returns true if the newest block is canonical; otherwise reverts it. */
async function* isTipCanonical(state: SourceState): AsyncGenerator<EvmChainEvent, boolean> {
  const { context, signal, cursor } = state
  if (cursor.hash === null) return true
  const found = await fetchHeader(context, cursor.number, { signal })
  if (found === null) return false
  if (found.header.hash === cursor.hash) return true
  yield* switchToBranch(state, { ref: refOf(found.header), endpoint: found.endpoint })
  return false
}

/**
 * Reads the last blocks up to a head: a single block by its hash, several in one request. Returns
 * false if none of them follows the cursor. On a fast chain heads pile up during a request, and the
 * next request takes all of them.
 */
async function* advanceLive(
  state: SourceState,
  head: Head['header'],
): AsyncGenerator<EvmChainEvent, boolean> {
  const { context, signal } = state
  let hasAdvanced = false
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
    if (blocks.length === 0) return hasAdvanced
    for (const block of blocks) {
      if (!(yield* deliver(state, await checkLive(context, block, signal)))) return false
      hasAdvanced = true
    }
  }
  return hasAdvanced
}

/** Fetches the block after the cursor; the head itself by its hash. Empty if no node has it. */
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

type Job = { to: number; range: Promise<RangeBlocks> }

// Smallest range: ranges below the size of one batch of blocks waste requests.
const rangeBlocksMin = 32

/**
 * Reads the blocks from the cursor up to a number in parallel ranges and delivers them in order.
 * Ends early if it finds another branch.
 */
export async function* backfill(
  state: SourceState,
  options: BackfillOptions,
  to: number,
): AsyncGenerator<EvmChainEvent> {
  const cancel = new AbortController()
  setMaxListeners(0, cancel.signal)
  const onAbort = () => cancel.abort()
  state.signal.addEventListener('abort', onAbort, { once: true })
  const jobs: Job[] = []
  let next = state.cursor.number + 1
  let end = state.cursor.number
  // The last read block. It is delivered when the next block is known, whose time bounds its own.
  let held: FetchedBlock | null = null
  try {
    // Known before the first block is read, because blocks that are already final need no undo
    // data.
    const finalizedBefore = await findFinalized(state)
    if (finalizedBefore !== null) yield finalizedBefore
    while (end < to) {
      next = startJobs(state, options, jobs, { next, to }, cancel.signal)
      const job = jobs.shift()!
      const { blocks, isCut } = await job.range
      for (const block of blocks) {
        if (held !== null && !(yield* deliver(state, await withVerifiedTime(state, held, block))))
          return
        held = block
      }
      end = isCut ? to : job.to
      if (end === to && held !== null && !(yield* deliver(state, held))) return
      const finalized = await findFinalized(state)
      if (finalized !== null) yield finalized
    }
  } finally {
    state.signal.removeEventListener('abort', onAbort)
    cancel.abort()
  }
}

function startJobs(
  state: SourceState,
  {
    rangeBlocks,
    parallelRanges,
    prefetchBlocksMax = rangeBlocks * parallelRanges,
  }: BackfillOptions,
  jobs: Job[],
  { next, to }: { next: number; to: number },
  signal: AbortSignal,
): number {
  let from = next
  while (from <= to && jobs.length < parallelRanges) {
    const roomBlocks = prefetchBlocksMax - (from - state.cursor.number - 1)
    if (jobs.length > 0 && roomBlocks <= 0) break
    // Ranges have equal sizes, so that the others do not wait for one range at the end.
    const shareBlocks = Math.max(rangeBlocksMin, Math.ceil((to - from + 1) / parallelRanges))
    const bearableBlocks = Math.max(rangeBlocksMin, state.context.logRange.blocks())
    const blocks = Math.min(rangeBlocks, shareBlocks, bearableBlocks, Math.max(1, roomBlocks))
    const last = Math.min(to, from + blocks - 1)
    // Blocks may stay unread only where no reorg can replace them.
    const unreadUpTo = state.isSparse ? irreversibleNumberOf(state) : -1
    const range = fetchRange(state.context, from, last, { signal, unreadUpTo })
    // A range is awaited later or never, so its failure counts only when its blocks are due.
    range.catch(() => undefined)
    jobs.push({ to: last, range })
    from = last + 1
  }
  return from
}
