import { setMaxListeners } from 'node:events'
import { irreversibleNumberOf } from '../follow.ts'
import { deliver, withVerifiedTime } from './deliver.ts'
import type { FetchedBlock } from './fetch/fetchBlock.ts'
import { fetchRange, type RangeBlocks } from './fetch/fetchRange.ts'
import { findFinalized } from './heads/finality.ts'
import type { BackfillOptions, EvmChainEvent, SourceState } from './sourceState.ts'

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
