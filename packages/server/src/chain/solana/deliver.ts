import type { BlockRef } from '../../model/block.ts'
import { ReorgDeepError, ReorgTooDeepError } from '../errors.ts'
import { fetchBlock, fetchRef, fetchSlots } from './fetchBlock.ts'
import type { FetchedBlock } from './fetchedBlock.ts'
import { streamOrigin } from './grpc/blockFeed.ts'
import { type SolanaChainEvent, type SourceState, settledNumber } from './sourceState.ts'

// More blocks than whoever reads us looks ahead.
const originsMax = 4_096

/** Says whether the chain went on; false: it did not link, and what follows must be asked for again. */
type Delivery = AsyncGenerator<SolanaChainEvent, boolean>

/** Gives out the next block after the cursor, with those before it that a list had missed, or reverts what is not below it. */
export async function* deliver(state: SourceState, fetched: FetchedBlock): Delivery {
  const { ref } = fetched.value
  if (isNext(state, ref)) {
    yield commit(state, fetched)
    return true
  }
  const branch = await followBack(state, fetched)
  if (branch === null) return false
  if (branch.ancestorNumber !== state.cursor.number) {
    if (await isOurs(state, branch.ancestorNumber, fetched)) return false
    yield* takeBack(state, branch.ancestorNumber)
    return false
  }
  for (const slot of branch.missed) {
    const missed = await fetchBlock(state.context, slot, { signal: state.signal })
    if (missed === null || !isNext(state, missed.value.ref)) return false
    yield commit(state, missed)
  }
  if (!isNext(state, ref)) return false
  yield commit(state, fetched)
  return true
}

function isNext({ cursor }: SourceState, { parentNumber, parentHash }: BlockRef): boolean {
  return cursor.hash === null || (parentHash === cursor.hash && parentNumber === cursor.number)
}

function commit(state: SourceState, fetched: FetchedBlock): SolanaChainEvent {
  const { value: block, endpoint, receivedMs } = fetched
  // Votes make the time of a block: it may be missing, and never counts as earlier than the one before.
  const ref = { ...block.ref, timeS: Math.max(block.ref.timeS, state.cursor.timeS) }
  state.window.push(ref)
  state.heldCount = Math.min(state.heldCount + 1, state.reorgDepthMax)
  state.cursor = { number: ref.number, hash: ref.hash, timeS: ref.timeS }
  state.origins.set(ref.hash, endpoint)
  for (const oldest of state.origins.keys()) {
    if (state.origins.size <= originsMax) break
    state.origins.delete(oldest)
  }
  return { type: 'commit', block: { ...block, ref }, receivedMs }
}

/** Where a block's branch leaves ours, and its slots from there on. Null: the branch cannot be followed. */
type Branch = { ancestorNumber: number; missed: readonly number[] }

async function followBack(state: SourceState, tip: FetchedBlock): Promise<Branch | null> {
  const { context, signal } = state
  const missed: number[] = []
  let { ref } = tip.value
  while (!isHeld(state, ref.parentNumber, ref.parentHash)) {
    const { parentNumber } = ref
    // It parts from ours deeper than anything can be reverted, or before all there is.
    if (parentNumber < floorNumber(state)) return { ancestorNumber: deepest(state), missed: [] }
    const parent = await fetchRef(context, parentNumber, { signal })
    if (parent === null || parent.value.hash !== ref.parentHash) {
      blame(state, tip.endpoint, `Branch of slot ${tip.value.ref.number} leads nowhere`)
      return null
    }
    missed.unshift(parentNumber)
    ref = parent.value
  }
  return { ancestorNumber: ref.parentNumber, missed }
}

function blame({ context }: SourceState, endpoint: number, fault: string): void {
  if (endpoint === streamOrigin) context.feed?.forget(fault)
  else context.rpc.penalise(endpoint, fault)
}

function isHeld({ cursor, window }: SourceState, number: number, hash: string): boolean {
  return number === cursor.number ? hash === cursor.hash : window.hashAt(number) === hash
}

/** The lowest block that a branch may part from ours at. */
function floorNumber(state: SourceState): number {
  const { cursor, window } = state
  const lowest = window.oldest()?.parentNumber ?? cursor.number
  return Math.max(Math.min(cursor.number, settledNumber(state)), lowest)
}

/** Where history begins with our first block, all of it may be replaced, whatever was before it. */
function deepest(state: SourceState): number {
  const floor = floorNumber(state)
  return floor < state.startSlot ? floor : floor - 1
}

/** Another node's word, where there is one: a single node may be on a branch of its own. */
async function isOurs(state: SourceState, ancestorNumber: number, tip: FetchedBlock) {
  const { context, signal, window, cursor } = state
  const { endpoint } = tip
  const ours = window.firstAbove(ancestorNumber) ?? cursor
  const request = { signal, avoid: [endpoint], roundsMax: 1 }
  const opinion = await fetchRef(context, ours.number, request).catch(async (error) => {
    if (await isPassed(state, ours.number, tip)) return null
    throw error
  })
  const isAgreed = opinion?.value.hash === ours.hash
  if (isAgreed && opinion.endpoint !== endpoint)
    blame(state, endpoint, `It is on a branch without slot ${ours.number}`)
  return isAgreed
}

/**
 * A slot that was left counts as not there yet until the chain is final beyond it. Whoever lists the other branch and not this
 * slot has left it.
 */
async function isPassed(state: SourceState, slot: number, tip: FetchedBlock): Promise<boolean> {
  const { context, signal } = state
  const to = tip.value.ref.number
  const range = { from: Math.min(slot, to), to }
  const slots = await fetchSlots(context, range, { signal, avoid: [tip.endpoint] })
  return slots.includes(to) && !slots.includes(slot)
}

/** Reverts all blocks above this one, newest first. */
async function* takeBack(
  state: SourceState,
  ancestorNumber: number,
): AsyncGenerator<SolanaChainEvent> {
  const { window, logger } = state
  const { chain } = state.context
  const depth = window.countAbove(ancestorNumber)
  const depthMax = window.countAbove(floorNumber(state))
  if (depth > depthMax || ancestorNumber < floorNumber(state))
    throw new ReorgTooDeepError({ chain, depth, depthMax })
  if (depth > state.heldCount) {
    const hash = ancestorNumber < state.startSlot ? null : window.hashAt(ancestorNumber)!
    throw new ReorgDeepError({ chain, depth, ancestor: { number: ancestorNumber, hash } })
  }
  logger.info({ msg: 'Found reorg', chain, depth, ancestorNumber })
  while (state.cursor.number > ancestorNumber) {
    const ref = window.pop()
    state.heldCount -= 1
    const isFirst = ref.parentNumber < state.startSlot
    const hash = isFirst ? null : ref.parentHash
    state.cursor = { number: ref.parentNumber, hash, timeS: window.tip()?.timeS ?? 0 }
    yield { type: 'revert', ref }
  }
}
