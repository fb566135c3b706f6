import { unsettledBlocksMaxOf } from '../../../model/trust/finality.ts'
import { InconsistentNodeError, RpcError, type RpcErrorKind } from '../../errors.ts'
import { fetchHeader } from '../fetch/fetchBlock.ts'
import type { EvmChainEvent, SourceState } from '../sourceState.ts'

// Finality moves in seconds to minutes; asking at every block of a fast chain would only cost calls.
const tagPollMs = 1_000
// A node gets the tag by an upgrade, or as a young chain has its first final block.
const tagMissingPollMs = 60_000
// They say nothing of the tag: the node did not get as far.
const silentKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unreachable',
  'timeout',
  'rateLimited',
  'forbidden',
])

/** Blocks given out up to this one are never reverted, nor those up to it that are still to come. */
export function settledNumber({ finalizedNumber, horizonNumber }: SourceState): number {
  return Math.max(finalizedNumber, horizonNumber)
}

/** What has become final since the last time, or null. */
export async function findFinalized(state: SourceState): Promise<EvmChainEvent | null> {
  const { finality } = state
  if (finality.type === 'tag') await askTag(state)
  const depth = state.isTagMissing ? state.reorgDepthMax : unsettledBlocksMaxOf(finality)
  state.horizonNumber = Math.max(state.horizonNumber, horizonByDepth(state, depth))
  const number = Math.min(state.cursor.number, state.horizonNumber)
  if (number <= state.finalizedNumber) return null
  const hash = state.window.hashAt(number)
  // Older than what we hold, or not read: it was never ours to finalize.
  if (hash === undefined || hash === null || number < state.startBlock) return null
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
    // Lies say nothing of what is final, and need not stop the blocks.
    if (error instanceof InconsistentNodeError) return null
    if (!(error instanceof RpcError) || error.kind === 'aborted') throw error
    return silentKinds.has(error.kind) ? null : 'missing'
  }
}
