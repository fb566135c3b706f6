import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../lib/errors.ts'
import type { Secrets } from '../../lib/hideSecrets.ts'
import type { Logger } from '../../lib/logger.ts'
import { slotMs } from '../../lib/slotTime.ts'
import {
  type BlockRef,
  leastNumberAfter,
  numbersApart,
  type SourceProgress,
} from '../../model/block.ts'
import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import { type Finality, finalBlocksMin, unsettledBlocksMaxOf } from '../../model/trust/finality.ts'
import { createChainWindow } from '../chainWindow.ts'
import { nodeFaultOf, RpcError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { digestOf } from './blockDigest.ts'
import { deliver } from './deliver.ts'
import { fetchBlock, fetchRef, fetchSlots } from './fetchBlock.ts'
import { askedCommitment, type Commitment } from './fetchedBlock.ts'
import { createBlockFeed, streamOrigin } from './grpc/blockFeed.ts'
import type { GrpcEndpoint } from './grpc/grpcStream.ts'
import { createSlots, type Slots } from './slots.ts'
import { type SolanaChainEvent, type SourceState, settledNumber } from './sourceState.ts'

export type SolanaSourceOptions = {
  chain: string
  rpc: Rpc
  startSlot: number
  /** Newest canonical blocks of an earlier run, oldest first. */
  known: readonly BlockRef[]
  finalizedNumber: number
  reorgDepthMax: number
  finality: Finality
  commitment: Commitment
  pollMs: number
  /** Blocks under way at a time. */
  parallelBlocks: number
  /** Before the first retry of a step that failed; doubles with each. @default 250 */
  retryMs?: number | undefined
  /** Nodes that stream blocks; what these do not bring is asked of `rpc`. @default none */
  streams?: readonly GrpcEndpoint[] | undefined
  /** After this long without a streamed block `rpc` is asked. @default 2_000 */
  streamSilentMs?: number | undefined
  /** Hidden in what streams say, beside those of their own. @default none */
  secrets?: Secrets | undefined
  clock: { nowMs(): number }
  logger: Logger
  signal: AbortSignal
}

/** What other nodes say of a block. */
export type SolanaOpinion = 'right' | 'alone' | { split: SolanaBlock }

export type SolanaBlockSource = {
  events(): AsyncIterable<SolanaChainEvent>
  progress(): SourceProgress
  confirm(block: SolanaBlock): Promise<SolanaOpinion>
}

const retryMsDefault = 250
const retryMsMax = 10_000
// Slots whose blocks are listed at once: a list is short, and a new one may know of more.
const slotsPerList = 500
// So far behind the head a block is still news.
const liveS = 12
const liveSlotsMax = (liveS * 1_000) / slotMs
// Final slots move twice a second; asking at every block would only cost calls.
const finalPollMs = 1_000
// While processed blocks come one after the other, so often is asked which were confirmed.
const headPollMs = 1_000

/** Blocks of a Solana chain in order, by its slots. */
export function createSolanaBlockSource(options: SolanaSourceOptions): SolanaBlockSource {
  const state = createState(options)
  return {
    events: () => run(state, options),
    progress() {
      const { cursor, headNumber } = state
      const behind = Math.max(0, numbersApart(cursor.number, headNumber))
      return {
        startNumber: state.startSlot,
        headNumber,
        cursorNumber: cursor.number,
        // Nodes tell the time of a block with the block alone.
        headTimeS: cursor.timeS === 0 ? 0 : cursor.timeS + Math.floor((behind * slotMs) / 1_000),
        finalizedNumber: state.finalizedNumber,
        settledNumber: settledNumber(state),
        isLive: headNumber >= 0 && behind <= liveSlotsMax,
        lastError: state.lastError,
      }
    },
    confirm: (block) => confirm(state, block),
  }
}

function createState(options: SolanaSourceOptions): SourceState {
  const { known, reorgDepthMax, finality, startSlot } = options
  const tip = known.at(-1)
  const { chain, rpc, clock, streams = [] } = options
  return {
    context: {
      chain,
      rpc,
      commitment: askedCommitment(options.commitment),
      nowMs: () => clock.nowMs(),
      feed: streams.length === 0 ? undefined : createBlockFeed({ ...options, endpoints: streams }),
    },
    window: createChainWindow(known, Math.max(reorgDepthMax, unsettledBlocksMaxOf(finality))),
    startSlot,
    reorgDepthMax,
    finality,
    parallelBlocks: options.parallelBlocks,
    isProcessed: options.commitment === 'processed',
    signal: options.signal,
    logger: options.logger,
    origins: new Map(),
    cursor: tip ?? { number: startSlot - 1, hash: null, timeS: 0 },
    heldCount: Math.min(known.length, reorgDepthMax),
    headNumber: -1,
    finalizedNumber: options.finalizedNumber,
    horizonNumber: -1,
    finalAskAtMs: Number.NEGATIVE_INFINITY,
    headAskAtMs: Number.NEGATIVE_INFINITY,
    lastError: null,
  }
}

/** Steps until stopped. Whatever a node does wrong, the next step starts from the cursor again. */
async function* run(
  state: SourceState,
  options: SolanaSourceOptions,
): AsyncGenerator<SolanaChainEvent> {
  const { rpc } = options
  const { feed } = state.context
  const slots = createSlots({ ...options, urls: rpc.webSocketUrls(), feed })
  try {
    yield* follow(state, slots, options.retryMs ?? retryMsDefault)
  } finally {
    slots.close()
  }
}

async function* follow(
  state: SourceState,
  slots: Slots,
  retryMs: number,
): AsyncGenerator<SolanaChainEvent> {
  const { context, signal, logger } = state
  let failures = 0
  const pause = (delayMs: number) => sleep(delayMs, undefined, { signal }).catch(() => undefined)
  while (!signal.aborted) {
    try {
      const from = state.cursor.number
      yield* advanceStreamed(state)
      if (state.cursor.number === from || isHeadDue(state)) {
        await askHead(state)
        if (state.headNumber > state.cursor.number) yield* advance(state)
        else if (state.isProcessed) yield* leaveBranch(state)
      }
      const finalized = await findFinalized(state)
      if (finalized !== null) yield finalized
      failures = 0
      state.lastError = null
      const hasMore = state.headNumber > state.cursor.number && state.cursor.number !== from
      if (!hasMore) await slots.next(state.cursor.number)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError) || !(error.retryable || error instanceof RpcError))
        throw error
      state.lastError = nodeFaultOf(error)
      const delayMs = Math.min(retryMsMax, retryMs * 2 ** failures)
      failures += 1
      const facts = { chain: context.chain, error: error.message, delayMs }
      logger.warn({ msg: 'Chain step failed', ...facts })
      await pause(delayMs)
    }
  }
}

/** Streamed blocks that may be left need nodes that say what was confirmed, however fast they come. */
function isHeadDue({ isProcessed, headAskAtMs, context }: SourceState): boolean {
  return isProcessed && context.nowMs() >= headAskAtMs
}

async function askHead(state: SourceState): Promise<void> {
  const { context, signal } = state
  const { commitment, rpc } = context
  state.headAskAtMs = context.nowMs() + headPollMs
  const head = await rpc.request('getSlot', [{ commitment }], { signal })
  state.headNumber = Number.isSafeInteger(head) ? Number(head) : state.headNumber
}

/** Reverts processed blocks where the newest confirmed one, which is not above them, is none of them. */
async function* leaveBranch(state: SourceState): AsyncGenerator<SolanaChainEvent> {
  const { context, window, headNumber, signal } = state
  const ours = window.newestUpTo(headNumber)
  if (ours === undefined || ours.number === headNumber) return
  const confirmed = await fetchBlock(context, headNumber, { signal })
  if (confirmed !== null) yield* deliver(state, confirmed)
}

/** Blocks that streams brought, as long as each follows the one before. */
async function* advanceStreamed(state: SourceState): AsyncGenerator<SolanaChainEvent> {
  const { feed } = state.context
  if (feed === undefined) return
  for (;;) {
    const next = feed.after(state.cursor.number, state.cursor.hash)
    if (next === null || !(yield* deliver(state, next))) return
    state.headNumber = Math.max(state.headNumber, feed.newest())
  }
}

/** The blocks up to the head, several asked for at a time and given out in order. */
async function* advance(state: SourceState): AsyncGenerator<SolanaChainEvent> {
  const { context, parallelBlocks } = state
  const { headNumber } = state
  for (let from = leastNumberAfter(state.cursor.number); from <= headNumber; ) {
    const to = Math.min(headNumber, from + slotsPerList - 1)
    const slots = await fetchSlots(context, { from, to }, { signal: state.signal })
    from = to + 1
    // What is under way when a block does not link is of no use any more.
    const unneeded = new AbortController()
    const onAbort = () => unneeded.abort()
    state.signal.addEventListener('abort', onAbort, { once: true })
    const request = { signal: unneeded.signal }
    const underWay = slots.slice(0, parallelBlocks).map((slot) => begin(state, slot, request))
    try {
      for (const at of slots.keys()) {
        const fetched = await underWay[at]!
        const next = slots[underWay.length]
        if (next !== undefined) underWay.push(begin(state, next, request))
        // It was listed, and nobody has it: it is gone.
        if (fetched === null || !(yield* deliver(state, fetched))) return
      }
    } finally {
      state.signal.removeEventListener('abort', onAbort)
      unneeded.abort()
    }
  }
}

/** A block under way: whoever waits for it gets its failure, and if nobody does, it is none. */
function begin(state: SourceState, slot: number, request: { signal: AbortSignal }) {
  const fetching = fetchBlock(state.context, slot, request)
  fetching.catch(() => undefined)
  return fetching
}

/** What has become final since the last time, or null. */
async function findFinalized(state: SourceState): Promise<SolanaChainEvent | null> {
  const { finality, window } = state
  if (finality.type === 'tag') await askFinal(state)
  else {
    const settled =
      finality.type === 'depth' ? window.below(finality.blocks) : olderThan(state, finality.seconds)
    if (settled !== undefined) state.horizonNumber = Math.max(state.horizonNumber, settled.number)
  }
  const newest = window.newestUpTo(state.horizonNumber)
  if (newest === undefined || newest.number <= state.finalizedNumber) return null
  state.finalizedNumber = newest.number
  return { type: 'finalize', ref: { number: newest.number, hash: newest.hash } }
}

/** The newest block that is so much older than the cursor, by the times of blocks. */
function olderThan({ window, cursor, context }: SourceState, seconds: number) {
  // A block from the future counts as one of now.
  const old = window.newestBy(Math.min(cursor.timeS, context.nowMs() / 1_000) - seconds)
  const deep = window.below(finalBlocksMin)
  return old !== undefined && deep !== undefined && deep.number < old.number ? deep : old
}

/** Moves the horizon to the nodes' final slot, if what we have below it is what became final. */
async function askFinal(state: SourceState): Promise<void> {
  const { context, signal, window } = state
  const nowMs = context.nowMs()
  if (nowMs < state.finalAskAtMs) return
  state.finalAskAtMs = nowMs + finalPollMs
  const commitment = 'finalized'
  const slot = Number(await context.rpc.request('getSlot', [{ commitment }], { signal }))
  if (!Number.isSafeInteger(slot) || slot <= state.horizonNumber) return
  const ours = window.newestUpTo(slot)
  if (ours !== undefined && ours.number > state.finalizedNumber) {
    const found = await fetchRef(context, ours.number, { signal, commitment })
    if (found?.value.hash !== ours.hash) return
  }
  state.horizonNumber = slot
}

async function confirm(state: SourceState, block: SolanaBlock): Promise<SolanaOpinion> {
  const { context, signal, origins } = state
  const origin = origins.get(block.ref.hash)
  if (context.rpc.endpointCount() === 1 && origin !== streamOrigin) return 'alone'
  const avoid = origin === undefined ? [] : [origin]
  try {
    const other = await fetchBlock(context, block.ref.number, { signal, avoid, roundsMax: 1 })
    if (other === null || other.endpoint === origin) return 'alone'
    return digestOf(other.value) === digestOf(block) ? 'right' : { split: other.value }
  } catch (error) {
    if (error instanceof AppError) return 'alone'
    throw error
  }
}
