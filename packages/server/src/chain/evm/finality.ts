import { RpcError } from '../errors.ts'
import { fetchHeader } from './fetchBlock.ts'
import type { EvmHeader } from './rawBlock.ts'
import type { EvmChainEvent, SourceState } from './sourceState.ts'

// Finality moves in seconds to minutes; asking at every block of a fast chain would only cost calls.
const tagPollMs = 1_000

/** Blocks given out up to this one are never taken back, nor those up to it that are still to come. */
export function settledNumber({ finalizedNumber, horizonNumber }: SourceState): number {
  return Math.max(finalizedNumber, horizonNumber)
}

/** What has become final since the last time, or null. */
export async function findFinalized(state: SourceState): Promise<EvmChainEvent | null> {
  const horizon =
    state.finality.type === 'depth'
      ? horizonByDepth(state, state.finality.blocks)
      : await askTag(state)
  if (horizon === null) return null
  state.horizonNumber = Math.max(state.horizonNumber, horizon)
  const number = Math.min(state.cursor.number, state.horizonNumber)
  if (number <= state.finalizedNumber) return null
  const hash = state.window.hashAt(number)
  // Older than what we hold: it was never ours to finalize.
  if (hash === undefined || number < state.startBlock) return null
  state.finalizedNumber = number
  return { type: 'finalize', ref: { number, hash } }
}

async function askTag(state: SourceState): Promise<number | null> {
  const nowMs = state.context.nowMs()
  // While catching up, the blocks that have come up to the horizon are final without asking.
  if (nowMs - state.finalityAskedAtMs < tagPollMs) return state.horizonNumber
  state.finalityAskedAtMs = nowMs
  const header = await fetchFinalized(state)
  // A node without the tag: below the depth we can take back, all is final for us anyway.
  if (header === null) return horizonByDepth(state, state.reorgDepthMax)
  if (header.number > state.cursor.number) return header.number
  return state.window.hashAt(header.number) === header.hash ? header.number : null
}

function horizonByDepth({ cursor, askedHeadNumber }: SourceState, depth: number): number {
  return Math.max(cursor.number, askedHeadNumber) - depth
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
