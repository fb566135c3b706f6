import { RpcError } from '../errors.ts'
import { fetchHeader } from './fetchBlock.ts'
import type { EvmHeader } from './rawBlock.ts'
import type { EvmChainEvent, SourceState } from './sourceState.ts'

// Finality moves in seconds to minutes; asking at every block of a fast chain would only cost calls.
const tagPollMs = 1_000

/** What has become final since the last time, or null. */
export async function findFinalized(state: SourceState): Promise<EvmChainEvent | null> {
  const number =
    state.finality.type === 'depth'
      ? finalByDepth(state, state.finality.blocks)
      : await askTag(state)
  if (number === null || number <= state.finalizedNumber) return null
  const hash = state.window.hashAt(number)
  // Older than what we hold: it was never ours to finalize.
  if (hash === undefined || number < state.startBlock) return null
  state.finalizedNumber = number
  return { type: 'finalize', ref: { number, hash } }
}

async function askTag(state: SourceState): Promise<number | null> {
  const nowMs = state.context.nowMs()
  if (nowMs - state.finalityAskedAtMs < tagPollMs) return null
  state.finalityAskedAtMs = nowMs
  const header = await fetchFinalized(state)
  // A node without the tag: below the depth we can take back, all is final for us anyway.
  if (header === null) return Math.min(state.cursor.number, state.headNumber) - state.reorgDepthMax
  if (header.number > state.cursor.number) return state.cursor.number
  return state.window.hashAt(header.number) === header.hash ? header.number : null
}

function finalByDepth({ cursor, askedHeadNumber }: SourceState, depth: number): number {
  return Math.min(cursor.number, Math.max(cursor.number, askedHeadNumber) - depth)
}

/** Null: the node has no such tag, nothing final yet, or no answer this time. */
async function fetchFinalized({ context, signal }: SourceState): Promise<EvmHeader | null> {
  try {
    const found = await fetchHeader(context, 'finalized', { signal })
    return found?.header ?? null
  } catch (error) {
    if (error instanceof RpcError && error.kind !== 'aborted') return null
    throw error
  }
}
