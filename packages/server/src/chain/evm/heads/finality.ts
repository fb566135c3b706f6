import { finalBlocksMin, nonFinalBlocksMaxOf } from '../../../model/trust/finality.ts'
import { InconsistentNodeError, RpcError, type RpcErrorKind } from '../../errors.ts'
import { fetchHeader } from '../fetch/fetchBlock.ts'
import type { EvmChainEvent, SourceState } from '../sourceState.ts'

// Finality advances within seconds to minutes, so asking at every block of a fast chain wastes
// calls.
const tagPollMs = 1_000
// The tag becomes available after a node upgrade, or with a young chain's first final block.
const tagMissingPollMs = 60_000
// Errors that do not show whether a node supports the tag.
const silentKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unreachable',
  'timeout',
  'rateLimited',
  'forbidden',
])

/** Returns the newest block that became final since the last call, or null. */
export async function findFinalized(state: SourceState): Promise<EvmChainEvent | null> {
  const { finality } = state
  if (finality.type === 'tag') await askTag(state)
  if (finality.type === 'age')
    state.horizonNumber = Math.max(state.horizonNumber, await horizonByAge(state, finality.seconds))
  const depth = state.isTagMissing ? state.reorgDepthMax : nonFinalBlocksMaxOf(finality)
  state.horizonNumber = Math.max(state.horizonNumber, horizonByDepth(state, depth))
  const number = Math.min(state.cursor.number, state.horizonNumber)
  if (number <= state.finalizedNumber) return null
  const hash = state.window.hashAt(number)
  // Older than the held blocks, or unread: nothing to finalize.
  if (hash === undefined || hash === null || number < state.startNumber) return null
  state.finalizedNumber = number
  return { type: 'finalize', ref: { number, hash } }
}

/** Advances the horizon to the node's final block, as far as it is on the followed branch. */
async function askTag(state: SourceState): Promise<void> {
  const nowMs = state.context.nowMs()
  if (nowMs < state.tagAskAtMs) return
  const answer = await fetchFinalized(state)
  // A tag that was available before is only missing for a moment, for example while a node starts.
  state.isTagMissing = answer === 'missing' && !state.isTagSeen
  state.tagAskAtMs = nowMs + (state.isTagMissing ? tagMissingPollMs : tagPollMs)
  if (answer === null || answer === 'missing') return
  state.isTagSeen = true
  if (answer.isOurs) state.horizonNumber = Math.max(state.horizonNumber, answer.number)
}

/**
 * Returns the newest block older than the head by this many seconds of block time. A head with a
 * future time counts as current.
 */
async function horizonByAge(state: SourceState, seconds: number): Promise<number> {
  const { cursor, askedHeadNumber, askedHeadTimeS, window, context } = state
  const headS = Math.min(Math.max(cursor.timeS, askedHeadTimeS), context.nowMs() / 1_000)
  const timeS = headS - seconds
  const highest = Math.max(cursor.number, askedHeadNumber) - finalBlocksMin
  if (cursor.timeS > timeS) return Math.min(highest, window.newestBy(timeS)?.number ?? -1)
  // Far behind the head, blocks that are not read yet may be final too.
  return Math.min(highest, Math.max(cursor.number, await findOldBlock(state, timeS)))
}

/** Finds a block ahead of the cursor at or before a time; -1 if there is no such block. */
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

/** The node's final block. `isOurs`: it is on the followed branch. */
type FinalBlock = { number: number; isOurs: boolean }

/**
 * Requests the final block. Null if unanswered. `missing` if the node has no such tag or no final
 * block yet.
 */
async function fetchFinalized(state: SourceState): Promise<FinalBlock | 'missing' | null> {
  const { context, signal, cursor, window } = state
  // One round only: the next block asks again and must not wait long for this answer.
  const options = { signal, roundsMax: 1 }
  try {
    const found = await fetchHeader(context, 'finalized', options)
    if (found === null) return 'missing'
    const { number, hash } = found.header
    if (number <= cursor.number) return { number, isOurs: window.hashAt(number) === hash }
    if (cursor.hash === null) return { number, isOurs: true }
    // The final block is ahead of the cursor: the newest block is either below it or replaced. The
    // same node must tell which.
    const own = await fetchHeader(context, cursor.number, options)
    const isOurs = own?.endpoint === found.endpoint && own.header.hash === cursor.hash
    return { number, isOurs }
  } catch (error) {
    return missingOf(error)
  }
}

/**
 * Interprets a failed header request: null if it shows nothing, `missing` if the node lacks the
 * block.
 */
function missingOf(error: unknown): 'missing' | null {
  // Contradictory answers say nothing about finality and must not stop the blocks.
  if (error instanceof InconsistentNodeError) return null
  if (!(error instanceof RpcError) || error.kind === 'aborted') throw error
  return silentKinds.has(error.kind) ? null : 'missing'
}
