import { finalBlocksMin, unsettledBlocksMaxOf } from '../../../model/trust/finality.ts'
import { InconsistentNodeError, RpcError, type RpcErrorKind } from '../../errors.ts'
import { fetchHeader } from '../fetch/fetchBlock.ts'
import type { EvmChainEvent, SourceState } from '../sourceState.ts'

// Finality moves in seconds to minutes; asking at every block of a fast chain would only cost calls.
const tagPollMs = 1_000
// A node gets the tag by an upgrade, or as a young chain has its first final block.
const tagMissingPollMs = 60_000
// These errors say nothing about the tag.
const silentKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unreachable',
  'timeout',
  'rateLimited',
  'forbidden',
])

/** The newest block that has become final since the last call; null: none did. */
export async function findFinalized(state: SourceState): Promise<EvmChainEvent | null> {
  const { finality } = state
  if (finality.type === 'tag') await askTag(state)
  if (finality.type === 'age')
    state.horizonNumber = Math.max(state.horizonNumber, await horizonByAge(state, finality.seconds))
  const depth = state.isTagMissing ? state.reorgDepthMax : unsettledBlocksMaxOf(finality)
  state.horizonNumber = Math.max(state.horizonNumber, horizonByDepth(state, depth))
  const number = Math.min(state.cursor.number, state.horizonNumber)
  if (number <= state.finalizedNumber) return null
  const hash = state.window.hashAt(number)
  // Older than what we hold, or not read: it was never ours to finalize.
  if (hash === undefined || hash === null || number < state.startNumber) return null
  state.finalizedNumber = number
  return { type: 'finalize', ref: { number, hash } }
}

/** Moves the horizon to the node's final block, as far as that is on our branch. */
async function askTag(state: SourceState): Promise<void> {
  const nowMs = state.context.nowMs()
  if (nowMs < state.tagAskAtMs) return
  const answer = await fetchFinalized(state)
  // One that was there is only away for a moment, as while a node starts.
  state.isTagMissing = answer === 'missing' && !state.isTagSeen
  state.tagAskAtMs = nowMs + (state.isTagMissing ? tagMissingPollMs : tagPollMs)
  if (answer === null || answer === 'missing') return
  state.isTagSeen = true
  if (answer.isOurs) state.horizonNumber = Math.max(state.horizonNumber, answer.number)
}

/**
 * The newest block that is so much older than the head, by the times of blocks. A head from the
 * future counts as one of now.
 */
async function horizonByAge(state: SourceState, seconds: number): Promise<number> {
  const { cursor, askedHeadNumber, askedHeadTimeS, window, context } = state
  const headS = Math.min(Math.max(cursor.timeS, askedHeadTimeS), context.nowMs() / 1_000)
  const timeS = headS - seconds
  const highest = Math.max(cursor.number, askedHeadNumber) - finalBlocksMin
  if (cursor.timeS > timeS) return Math.min(highest, window.newestBy(timeS)?.number ?? -1)
  // Far behind the head: blocks that are still to be read may be final, too.
  return Math.min(highest, Math.max(cursor.number, await findOldBlock(state, timeS)))
}

/** A block that is not after a time, ahead of the cursor; -1: none was found. */
async function findOldBlock(state: SourceState, timeS: number): Promise<number> {
  const { context, signal, cursor, askedHeadNumber } = state
  if (context.nowMs() < state.tagAskAtMs) return -1
  state.tagAskAtMs = context.nowMs() + tagPollMs
  while (askedHeadNumber - state.oldDepth > cursor.number) {
    const number = askedHeadNumber - state.oldDepth
    const found = await fetchHeader(context, number, { signal, roundsMax: 1 }).catch(missingOf)
    if (found === null || found === 'missing') return -1
    if (found.header.timeS <= timeS) return number
    state.oldDepth *= 2
  }
  return -1
}

function horizonByDepth({ cursor, askedHeadNumber }: SourceState, depth: number): number {
  return Math.max(cursor.number, askedHeadNumber) - depth
}

/** The node's final block. `isOurs`: it is on our branch. */
type FinalBlock = { number: number; isOurs: boolean }

/** Null: no answer this time. Missing: the node has no such tag, or nothing final yet. */
async function fetchFinalized(state: SourceState): Promise<FinalBlock | 'missing' | null> {
  const { context, signal, cursor, window } = state
  // Once: the next block asks again, and waits no longer for it than it must.
  const options = { signal, roundsMax: 1 }
  try {
    const found = await fetchHeader(context, 'finalized', options)
    if (found === null) return 'missing'
    const { number, hash } = found.header
    if (number <= cursor.number) return { number, isOurs: window.hashAt(number) === hash }
    if (cursor.hash === null) return { number, isOurs: true }
    // The final block is ahead of us: our newest block is below it, or was replaced. The same node must say which.
    const own = await fetchHeader(context, cursor.number, options)
    const isOurs = own?.endpoint === found.endpoint && own.header.hash === cursor.hash
    return { number, isOurs }
  } catch (error) {
    return missingOf(error)
  }
}

/** The meaning of a failed request for a header: nothing, or that the node does not have it. */
function missingOf(error: unknown): 'missing' | null {
  // Lies say nothing of what is final, and need not stop the blocks.
  if (error instanceof InconsistentNodeError) return null
  if (!(error instanceof RpcError) || error.kind === 'aborted') throw error
  return silentKinds.has(error.kind) ? null : 'missing'
}
