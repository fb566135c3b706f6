import { createHash } from 'node:crypto'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { AppError } from '../../lib/errors.ts'
import type { Secrets } from '../../lib/redactSecrets.ts'
import { slotMs } from '../../lib/slotTime.ts'
import {
  type BlockSourceProgress,
  blockNumberDistance,
  lowestNumberAfter,
} from '../../model/block.ts'
import type {
  RpcInstruction,
  RpcTokenBalance,
  SolanaBlock,
} from '../../model/solana/rpcTransaction.ts'
import { finalBlocksMin } from '../../model/trust/finality.ts'
import { createFollowState, type FollowOptions, progressOf, runSteps } from '../follow.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { deliver, type SolanaChainEvent, type SourceState } from './deliver.ts'
import { fetchBlock, fetchRef, fetchSlots } from './fetchBlock.ts'
import { createBlockFeed, streamOrigin } from './grpc/blockFeed.ts'
import type { GrpcEndpoint } from './grpc/grpcStream.ts'
import { createSlotFeed } from './slotFeed.ts'
import { askedCommitment, type Commitment } from './solanaRpc.ts'

type SolanaSourceOptions = Omit<FollowOptions, 'startNumber'> & {
  rpc: Rpc
  startSlot: number
  commitment: Commitment
  pollMs: number
  /** Number of blocks requested at once. */
  parallelBlocks: number
  /**
   * gRPC nodes that stream blocks. Blocks that they miss are requested from `rpc`. @default none
   */
  streams?: readonly GrpcEndpoint[] | undefined
  /** Time without a streamed block after which `rpc` is asked. @default 2_000 */
  streamSilentMs?: number | undefined
  /** Secrets to redact in stream errors, besides those of the streams. @default none */
  secrets?: Secrets | undefined
  clock: { nowMs(): number }
}

/** Other nodes' verdict on a block. */
type SolanaOpinion = 'right' | 'alone' | { split: SolanaBlock }

export type SolanaBlockSource = {
  events(): AsyncIterable<SolanaChainEvent>
  progress(): BlockSourceProgress
  confirm(block: SolanaBlock): Promise<SolanaOpinion>
}

// Slots listed per request: a list is short, and a newer one may include more blocks.
const slotsPerList = 500
// A block within this distance from the head counts as live.
const liveS = 12
const liveSlotsMax = (liveS * 1_000) / slotMs
// Final slots advance twice a second, so asking at every block wastes calls.
const finalPollMs = 1_000
// Interval of asking for the newest confirmed block while processed blocks are streamed.
const headPollMs = 1_000

/** Creates a source of a Solana chain's blocks, in order of their slots. */
export function createSolanaBlockSource(options: SolanaSourceOptions): SolanaBlockSource {
  const state = createState(options)
  return {
    events: () => run(state, options),
    progress() {
      const { cursor, headNumber } = state
      const behind = Math.max(0, blockNumberDistance(cursor.number, headNumber))
      return {
        ...progressOf(state),
        // Nodes report a block's time only with the block, so the head's time is estimated.
        headTimeS: cursor.timeS === 0 ? 0 : cursor.timeS + Math.floor((behind * slotMs) / 1_000),
        isLive: headNumber >= 0 && behind <= liveSlotsMax,
      }
    },
    confirm: (block) => confirm(state, block),
  }
}

function createState(options: SolanaSourceOptions): SourceState {
  const { chain, rpc, clock, streams = [] } = options
  return {
    ...createFollowState({ ...options, startNumber: options.startSlot }),
    context: {
      chain,
      rpc,
      commitment: askedCommitment(options.commitment),
      nowMs: () => clock.nowMs(),
      feed: streams.length === 0 ? undefined : createBlockFeed({ ...options, endpoints: streams }),
    },
    parallelBlocks: options.parallelBlocks,
    isProcessed: options.commitment === 'processed',
    finalAskAtMs: Number.NEGATIVE_INFINITY,
    headAskAtMs: Number.NEGATIVE_INFINITY,
  }
}

async function* run(
  state: SourceState,
  options: SolanaSourceOptions,
): AsyncGenerator<SolanaChainEvent> {
  const { feed } = state.context
  const slots = createSlotFeed({ ...options, urls: options.rpc.webSocketUrls(), feed })
  let hasMore = true
  async function* step(): AsyncGenerator<SolanaChainEvent> {
    if (!hasMore) await slots.next(state.cursor.number)
    hasMore = true
    const from = state.cursor.number
    yield* advanceStreamed(state)
    if (state.cursor.number === from || isHeadDue(state)) {
      await askHead(state)
      if (state.headNumber > state.cursor.number) yield* advance(state)
      else if (state.isProcessed) yield* leaveBranch(state)
    }
    const finalized = await findFinalized(state)
    if (finalized !== null) yield finalized
    hasMore = state.headNumber > state.cursor.number && state.cursor.number !== from
  }
  try {
    yield* runSteps(state, step)
  } finally {
    slots.close()
  }
}

/**
 * Streamed processed blocks may be dropped by the chain, so nodes must report the confirmed ones,
 * however fast blocks arrive.
 */
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

/**
 * Reverts processed blocks if the newest confirmed block, which is not above them, is not among
 * them.
 */
async function* leaveBranch(state: SourceState): AsyncGenerator<SolanaChainEvent> {
  const { context, window, headNumber, signal } = state
  const ours = window.newestUpTo(headNumber)
  if (ours === undefined || ours.number === headNumber) return
  const confirmed = await fetchBlock(context, headNumber, { signal })
  if (confirmed !== null) yield* deliver(state, confirmed)
}

/** Delivers streamed blocks as long as each follows the previous one. */
async function* advanceStreamed(state: SourceState): AsyncGenerator<SolanaChainEvent> {
  const { feed } = state.context
  if (feed === undefined) return
  for (;;) {
    const next = feed.after(state.cursor.number, state.cursor.hash)
    if (next === null || !(yield* deliver(state, next))) return
    state.headNumber = Math.max(state.headNumber, feed.newest())
  }
}

/** Reads the blocks up to the head, several at once, and delivers them in order. */
async function* advance(state: SourceState): AsyncGenerator<SolanaChainEvent> {
  const { context, parallelBlocks } = state
  const { headNumber } = state
  for (let from = lowestNumberAfter(state.cursor.number); from <= headNumber; ) {
    const to = Math.min(headNumber, from + slotsPerList - 1)
    const slots = await fetchSlots(context, { from, to }, { signal: state.signal })
    from = to + 1
    // Aborts the remaining requests when a block does not link.
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
        // The block was listed, but no node has it any more.
        if (fetched === null || !(yield* deliver(state, fetched))) return
      }
    } finally {
      state.signal.removeEventListener('abort', onAbort)
      unneeded.abort()
    }
  }
}

/**
 * Starts a request. Its failure reaches the caller that awaits the block; otherwise it is ignored.
 */
function begin(state: SourceState, slot: number, request: { signal: AbortSignal }) {
  const fetching = fetchBlock(state.context, slot, request)
  fetching.catch(() => undefined)
  return fetching
}

/** Returns the newest block that became final since the last call, or null. */
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

/** Returns the newest block older than the cursor by this many seconds of block time. */
function olderThan({ window, cursor, context }: SourceState, seconds: number) {
  // A block with a future time counts as current.
  const old = window.newestBy(Math.min(cursor.timeS, context.nowMs() / 1_000) - seconds)
  const deep = window.below(finalBlocksMin)
  return old !== undefined && deep !== undefined && deep.number < old.number ? deep : old
}

/**
 * Advances the horizon to the nodes' final slot, if the delivered block below it is the one that
 * became final.
 */
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
  const origin = origins.get(block.ref.hash)?.endpoint
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

/**
 * Returns a digest that is equal for blocks with the same calls and resulting balances, in whatever
 * encoding they were reported. Failed transactions, and those without calls and token changes, such
 * as votes, are ignored.
 */
export function digestOf({ ref, transactions }: SolanaBlock): string {
  const hash = createHash('sha256').update(`${ref.hash} ${ref.parentHash}`)
  for (const { transaction, meta } of transactions) {
    const { err, innerInstructions, postTokenBalances, logMessages } = meta ?? {}
    if (err !== null && err !== undefined) continue
    const inner = (innerInstructions ?? [])
      .filter(({ instructions }) => instructions.length > 0)
      .map(({ index, instructions }) => [index, instructions.map(instructionFacts)])
    const balances = (postTokenBalances ?? []).map(balanceFacts)
    if (inner.length + balances.length === 0) continue
    const signed = 'message' in transaction ? transaction.signatures : transaction[0]
    hash.update(JSON.stringify([signed, inner, balances, logMessages ?? null]))
  }
  return hash.digest('base64')
}

function instructionFacts({ programIdIndex, accounts, data, stackHeight }: RpcInstruction) {
  const text = typeof data === 'string' ? data : encodeBase58(data)
  return [programIdIndex, accounts, text, stackHeight ?? null]
}

function balanceFacts({ accountIndex, mint, owner, uiTokenAmount }: RpcTokenBalance) {
  return [accountIndex, mint, owner ?? null, uiTokenAmount.amount]
}
