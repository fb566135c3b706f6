import { unsettledBlocksMaxOf } from '../../../model/trust/finality.ts'
import { InconsistentNodeError, RpcError, type RpcErrorKind } from '../../errors.ts'
import { fetchHeader } from '../fetch/fetchBlock.ts'
import type { EvmHeader } from '../fetch/rawBlock.ts'
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
  const { number, hash } = answer
  if (number > state.cursor.number || state.window.hashAt(number) === hash)
    state.horizonNumber = Math.max(state.horizonNumber, number)
}

function horizonByDepth({ cursor, askedHeadNumber }: SourceState, depth: number): number {
  return Math.max(cursor.number, askedHeadNumber) - depth
}

/** Null: no answer this time. Missing: the node has no such tag, or nothing final yet. */
async function fetchFinalized({
  context,
  signal,
}: SourceState): Promise<EvmHeader | 'missing' | null> {
  try {
    // Once: the next block asks again, and waits no longer for it than it must.
    const found = await fetchHeader(context, 'finalized', { signal, roundsMax: 1 })
    return found?.header ?? 'missing'
  } catch (error) {
    // Lies say nothing of what is final, and need not stop the blocks.
    if (error instanceof InconsistentNodeError) return null
    if (!(error instanceof RpcError) || error.kind === 'aborted') throw error
    return silentKinds.has(error.kind) ? null : 'missing'
  }
}
