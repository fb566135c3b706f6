import { InconsistentNodeError, ReorgDeepError, ReorgTooDeepError } from '../errors.ts'
import { type FetchedBlock, fetchBlockByNumber, fetchHeader } from './fetch/fetchBlock.ts'
import type { EvmHeader } from './fetch/rawBlock.ts'
import { isAheadRightly, isOlder, isParentWrong, timeFault } from './heads/blockTime.ts'
import { settledNumber } from './heads/finality.ts'
import { findFork } from './heads/reorg.ts'
import type { EvmChainEvent, SourceState } from './sourceState.ts'

// More blocks than whoever reads us looks ahead.
const originsMax = 4_096

/** Says whether the chain went on; false: it did not link, and what follows must be fetched again. */
type Delivery = AsyncGenerator<EvmChainEvent, boolean>

/** Gives out the next block after the cursor, or reverts what another branch has replaced. */
export async function* deliver(state: SourceState, told: FetchedBlock): Delivery {
  const fetched = linked(state, told)
  const fault = linkFault(state, fetched) ?? timeFault(state, fetched)
  if (fault === null) {
    yield commit(state, fetched)
    return true
  }
  const { context, signal } = state
  const { number } = fetched.block.ref
  const found = await fetchBlockByNumber(context, number, { signal, avoid: [fetched.endpoint] })
  if (found === null) return false
  const again = linked(state, found)
  const { ref } = again.block
  if (linkFault(state, again) !== null) {
    yield* turn(state, headerOf(again), again.endpoint)
    return false
  }
  const againFault = timeFault(state, again)
  if (againFault === null) context.rpc.penalise(fetched.endpoint, fault)
  if (againFault === null || isAheadRightly(state, fetched, again)) {
    yield commit(state, again)
    return true
  }
  if (isOlder(state, again) && (await isParentWrong(state, again))) {
    const parent = state.window.tip()!
    const { number: parentNumber, parentNumber: ancestorNumber } = parent
    state.logger.warn({ msg: 'Block had a wrong time', chain: context.chain, number: parentNumber })
    yield* takeBack(state, ancestorNumber)
    return false
  }
  throw new InconsistentNodeError({ chain: context.chain, block: ref.hash, fault: againFault })
}

/**
 * Blocks between the cursor and this one were not read, since nothing in them is wanted: in the stream it follows the
 * cursor. Only final blocks are left out, so there is no other branch that it could be of.
 */
function linked({ cursor }: SourceState, fetched: FetchedBlock): FetchedBlock {
  const { block } = fetched
  if (cursor.hash === null || block.ref.number <= cursor.number + 1) return fetched
  const ref = { ...block.ref, parentNumber: cursor.number, parentHash: cursor.hash }
  return { ...fetched, block: { ...block, ref } }
}

function linkFault({ cursor }: SourceState, { block }: FetchedBlock): string | null {
  const { number, parentHash } = block.ref
  return cursor.hash !== null && parentHash !== cursor.hash
    ? `Block ${number} has parent ${parentHash}, not ${cursor.hash}`
    : null
}

function headerOf({ block, isProven }: FetchedBlock): EvmHeader {
  return { ...block.ref, bloom: null, receiptsRoot: null, isProven }
}

function commit(state: SourceState, fetched: FetchedBlock): EvmChainEvent {
  const { block, receivedMs, doubt, logsEndpoint: endpoint, hasProvenLogs } = fetched
  const { number, hash, timeS } = block.ref
  const numbers = number - state.cursor.number
  state.window.push(block.ref)
  state.context.failedChecks.onRead(number)
  state.heldCount = Math.min(state.heldCount + 1, state.reorgDepthMax)
  state.cursor = { number, hash, timeS }
  const nowMs = state.context.nowMs()
  state.blockRate.add(numbers, nowMs)
  state.logRate.add(block.logs.length, nowMs)
  state.origins.set(hash, { endpoint, hasProvenLogs })
  for (const oldest of state.origins.keys()) {
    if (state.origins.size <= originsMax) break
    state.origins.delete(oldest)
  }
  return { type: 'commit', block, receivedMs, doubt }
}

/** A node shows another branch: reverts what is not on it, newest first, once that is sure. */
export async function* turn(
  state: SourceState,
  header: EvmHeader,
  endpoint: number,
): AsyncGenerator<EvmChainEvent> {
  const { context, signal } = state
  const ancestorNumber = await findAncestor(state, header, endpoint)
  if (ancestorNumber === null) return
  const avoid = [endpoint]
  // Another node's word, where there is one: a single node may be on a branch of its own.
  const ours = firstAbove(state, ancestorNumber)
  const opinion = await fetchHeader(context, ours.number, { signal, avoid })
  if (opinion === null || opinion.header.hash === ours.hash) return
  yield* takeBack(state, ancestorNumber)
}

/** Takes back all blocks above this one, newest first. */
async function* takeBack(
  state: SourceState,
  ancestorNumber: number,
): AsyncGenerator<EvmChainEvent> {
  const { context, window } = state
  const depth = state.cursor.number - ancestorNumber
  const depthMax = state.cursor.number - floorNumber(state)
  if (depth > depthMax) throw new ReorgTooDeepError({ chain: context.chain, depth, depthMax })
  if (window.countAbove(ancestorNumber) > state.heldCount) {
    const isStart = ancestorNumber < state.startBlock
    const hash = isStart ? null : hashAt(state, ancestorNumber)!
    const ancestor = { number: ancestorNumber, hash }
    throw new ReorgDeepError({ chain: context.chain, depth, ancestor })
  }
  state.reorgCount += 1
  state.logger.info({ msg: 'Found reorg', chain: context.chain, depth, ancestorNumber })
  while (state.cursor.number > ancestorNumber) {
    const ref = window.pop()
    state.heldCount -= 1
    const tip = window.tip()
    const isStart = ref.number === state.startBlock
    const hash = isStart ? null : ref.parentHash
    state.cursor = { number: ref.parentNumber, hash, timeS: tip?.timeS ?? 0 }
    yield { type: 'revert', ref }
  }
}

/** Null: the branch cannot be followed. Below the floor: it parts deeper than that. */
async function findAncestor(
  state: SourceState,
  header: EvmHeader,
  endpoint: number,
): Promise<number | null> {
  const { context, signal } = state
  const fork = await findFork({
    header,
    hashAt: (number) => hashAt(state, number),
    fetchHeader: async (hash) => (await fetchHeader(context, hash, { signal }))?.header ?? null,
  })
  if (fork.type === 'fork') return fork.ancestorNumber
  if (fork.type === 'unknown') {
    if (endpoint >= 0)
      context.rpc.penalise(endpoint, `Branch of block ${header.number} leads nowhere`)
    return null
  }
  const floor = floorNumber(state)
  // Where history begins with the start block, all of it may be replaced, whatever was before it.
  return floor === state.startBlock - 1 ? floor : floor - 1
}

/** Undefined above the cursor, and below what can be reverted; null where the block was not read. */
function hashAt(state: SourceState, number: number): string | null | undefined {
  const { cursor, window } = state
  if (number < floorNumber(state)) return undefined
  return number === cursor.number ? (cursor.hash ?? undefined) : window.hashAt(number)
}

/** The first block of ours above one that the branches share, or the cursor. */
function firstAbove({ cursor, window }: SourceState, ancestorNumber: number) {
  return window.firstAbove(ancestorNumber) ?? cursor
}

/** The lowest block that a branch may part from ours at. */
function floorNumber(state: SourceState): number {
  const { cursor, window } = state
  const lowest = window.oldest()?.parentNumber ?? cursor.number
  return Math.max(Math.min(cursor.number, settledNumber(state)), lowest)
}
