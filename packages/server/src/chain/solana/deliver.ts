import type { BlockRef, ChainEvent } from '../../model/block.ts'
import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import {
  type BranchNodes,
  type BranchTip,
  commit,
  type FollowState,
  switchBranch,
} from '../follow.ts'
import { type FetchContext, fetchBlock, fetchRef, fetchSlots } from './fetchBlock.ts'
import { streamOrigin } from './grpc/blockFeed.ts'
import type { FetchedBlock } from './solanaRpc.ts'

export type SolanaChainEvent = ChainEvent<SolanaBlock>

/** State shared by the steps of one source. */
export type SourceState = FollowState & {
  readonly context: FetchContext
  readonly parallelBlocks: number
  /** True if processed blocks are delivered, which the chain may still drop. */
  readonly isProcessed: boolean
  /** Time of the next request for the final slot. */
  finalAskAtMs: number
  /** Time of the next request for the newest slot while blocks are streamed. */
  headAskAtMs: number
}

/**
 * Returns true if the chain advanced, or false if the block did not link and the next ones must be
 * requested again.
 */
type Delivery = AsyncGenerator<SolanaChainEvent, boolean>

/**
 * Delivers the next block after the cursor, with earlier ones that a list missed, or reverts blocks
 * that are not its ancestors.
 */
export async function* deliver(state: SourceState, fetched: FetchedBlock): Delivery {
  const { ref } = fetched.value
  if (!isNext(state, ref)) {
    const tip = { ref, endpoint: fetched.endpoint }
    const missed = yield* switchBranch(state, branchNodesOf(state), tip)
    if (missed === null) return false
    for (const slot of missed) {
      const block = await fetchBlock(state.context, slot, { signal: state.signal })
      if (block === null || !isNext(state, block.value.ref)) return false
      yield commitFetched(state, block)
    }
    if (!isNext(state, ref)) return false
  }
  yield commitFetched(state, fetched)
  return true
}

function isNext({ cursor }: SourceState, { parentNumber, parentHash }: BlockRef): boolean {
  return cursor.hash === null || (parentHash === cursor.hash && parentNumber === cursor.number)
}

function commitFetched(state: SourceState, fetched: FetchedBlock): SolanaChainEvent {
  const { value, endpoint, receivedMs } = fetched
  // Votes determine a block's time, so it may be missing. It never counts as earlier than the
  // previous block's time.
  const ref = { ...value.ref, timeS: Math.max(value.ref.timeS, state.cursor.timeS) }
  const origin = { endpoint, isProven: false }
  return commit(state, { ...value, ref }, { origin, receivedMs })
}

function branchNodesOf(state: SourceState): BranchNodes {
  const { context, signal } = state
  function blame({ endpoint }: BranchTip, fault: string): void {
    if (endpoint === streamOrigin) context.feed?.forget(fault)
    else context.rpc.penalise(endpoint, fault)
  }
  return {
    async parent({ parentNumber }) {
      return (await fetchRef(context, parentNumber, { signal }))?.value ?? null
    },
    async keeps(ours, tip) {
      const request = { signal, avoid: [tip.endpoint], roundsMax: 1 }
      const opinion = await fetchRef(context, ours.number, request).catch(async (error) => {
        if (await isPassed(state, ours.number, tip)) return null
        throw error
      })
      const isKept = opinion?.value.hash === ours.hash
      if (isKept && opinion.endpoint !== tip.endpoint)
        blame(tip, `It is on a branch without slot ${ours.number}`)
      return isKept
    },
    blame: (tip) => blame(tip, `Branch of slot ${tip.ref.number} leads nowhere`),
  }
}

/**
 * Returns whether another node has dropped a slot: it lists the other branch's tip without the
 * slot. Asked directly, nodes report a dropped slot as pending until the chain is final beyond it.
 */
async function isPassed(state: SourceState, slot: number, tip: BranchTip): Promise<boolean> {
  const { context, signal } = state
  const to = tip.ref.number
  const range = { from: Math.min(slot, to), to }
  const slots = await fetchSlots(context, range, { signal, avoid: [tip.endpoint] })
  return slots.includes(to) && !slots.includes(slot)
}
