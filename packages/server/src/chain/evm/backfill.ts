import { setMaxListeners } from 'node:events'
import { settledNumber } from '../follow.ts'
import { deliver, withRightTime } from './deliver.ts'
import type { FetchedBlock } from './fetch/fetchBlock.ts'
import { fetchRange, type RangeBlocks } from './fetch/fetchRange.ts'
import { findFinalized } from './heads/finality.ts'
import type { BackfillOptions, EvmChainEvent, SourceState } from './sourceState.ts'

type Job = { to: number; range: Promise<RangeBlocks> }

// A range under one batch of blocks would waste a request.
const rangeBlocksMin = 32

/** From the cursor to a block, in parallel ranges, given out strictly in order. Ends early when another branch is found. */
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
  // Given out when the one after it is there, whose time bounds its own.
  let held: FetchedBlock | null = null
  try {
    // Before the first block: those that are final already need nothing that reverts them.
    const finalizedBefore = await findFinalized(state)
    if (finalizedBefore !== null) yield finalizedBefore
    while (end < to) {
      next = startJobs(state, options, jobs, { next, to }, cancel.signal)
      const job = jobs.shift()!
      const { blocks, isCut } = await job.range
      for (const block of blocks) {
        if (held !== null && !(yield* deliver(state, await withRightTime(state, held, block))))
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
    // Shared out evenly, so that the end is not one range that all others wait for.
    const shareBlocks = Math.max(rangeBlocksMin, Math.ceil((to - from + 1) / parallelRanges))
    const bearableBlocks = Math.max(rangeBlocksMin, state.context.logRange.blocks())
    const blocks = Math.min(rangeBlocks, shareBlocks, bearableBlocks, Math.max(1, roomBlocks))
    const last = Math.min(to, from + blocks - 1)
    // Only where no other branch can take its place a block may be left unread.
    const unreadUpTo = state.isSparse ? settledNumber(state) : -1
    const range = fetchRange(state.context, from, last, { signal, unreadUpTo })
    // Awaited later or never: a failure counts only when the range is next.
    range.catch(() => undefined)
    jobs.push({ to: last, range })
    from = last + 1
  }
  return from
}
