import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../lib/boundedMap.ts'
import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import {
  type BlockRef,
  type ChainEvent,
  greatestNumberBefore,
  type NodeFault,
} from '../model/block.ts'
import { type Finality, unsettledBlocksMaxOf } from '../model/trust/finality.ts'
import { type ChainWindow, createChainWindow } from './chainWindow.ts'
import { nodeFaultOf, ReorgDeepError, ReorgTooDeepError, RpcError } from './errors.ts'

/** Parts that every family of chains needs to follow a chain. */
export type FollowOptions = {
  chain: string
  /** First block wanted when nothing is known. */
  startNumber: number
  /** Newest blocks already processed, oldest first, linked; the last is the cursor. */
  known: readonly BlockRef[]
  /** Newest block known to be final: nothing at or below it is reverted. */
  finalizedNumber?: number | undefined
  /** Blocks that are reverted one by one; what is deeper and not final ends the events with a ReorgDeepError. */
  reorgDepthMax: number
  finality: Finality
  /** After a first failed step; doubles with each, up to 15 s. @default 250 */
  retryMs?: number | undefined
  logger: Logger
  signal: AbortSignal
}

/** Last block given out and not reverted. `hash` null: nothing yet, so any first block follows. */
export type Cursor = { number: number; hash: string | null; timeS: number }

/** The endpoint that reported a block, and whether the block proves itself. */
export type Origin = { endpoint: number; isProven: boolean }

/** How far a chain was followed; what its steps share. */
export type FollowState = Omit<FollowOptions, 'known' | 'finalizedNumber'> & {
  /** Where another branch may part from ours. */
  readonly window: ChainWindow
  /** Hashes of the newest delivered blocks. */
  readonly origins: Map<string, Origin>
  cursor: Cursor
  /** Blocks that the consumer holds in memory and can revert: as many as came, up to reorgDepthMax. */
  heldCount: number
  /** Newest head that a node reported; may be behind the cursor for a moment. */
  headNumber: number
  /** Never goes back; nothing at or below it is reverted. */
  finalizedNumber: number
  /** Newest block that is final on the chain, whether it was read yet or not. Never goes back. */
  horizonNumber: number
  reorgCount: number
  lastError: NodeFault | null
}

// More blocks than the consumer looks ahead.
const originsMax = 4_096
const retryMsDefault = 250
const retryMsMax = 15_000

export function createFollowState(options: FollowOptions): FollowState {
  const { chain, startNumber, known, reorgDepthMax, finality, retryMs, logger, signal } = options
  const before = { number: greatestNumberBefore(startNumber), hash: null, timeS: 0 }
  return {
    ...{ chain, startNumber, reorgDepthMax, finality, retryMs, logger, signal },
    window: createChainWindow(known, windowBlocksOf(options)),
    origins: new BoundedMap(originsMax),
    cursor: known.at(-1) ?? before,
    heldCount: Math.min(known.length, reorgDepthMax),
    headNumber: -1,
    finalizedNumber: options.finalizedNumber ?? -1,
    horizonNumber: -1,
    reorgCount: 0,
    lastError: null,
  }
}

function windowBlocksOf({ reorgDepthMax, finality }: FollowOptions): number {
  // One more than are not final: the newest final block is looked up in the window.
  return Math.max(reorgDepthMax, unsettledBlocksMaxOf(finality) + 1)
}

/** The part of a source's progress that is the same for every family of chains. */
export function progressOf(state: FollowState) {
  const { startNumber, headNumber, finalizedNumber, cursor, lastError } = state
  return {
    startNumber,
    headNumber,
    finalizedNumber,
    settledNumber: settledNumber(state),
    cursorNumber: cursor.number,
    lastError,
  }
}

/** Runs steps until stopped. Whatever a node does wrong, the next step starts from the cursor again. */
export async function* runSteps<event>(
  state: FollowState,
  step: () => AsyncGenerator<event>,
): AsyncGenerator<event> {
  const { chain, signal, logger, retryMs = retryMsDefault } = state
  let failures = 0
  while (!signal.aborted) {
    try {
      yield* step()
      failures = 0
      state.lastError = null
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError) || !(error.retryable || error instanceof RpcError))
        throw error
      state.lastError = nodeFaultOf(error)
      const delayMs = Math.min(retryMsMax, retryMs * 2 ** failures)
      failures += 1
      logger.warn({ msg: 'Chain step failed', chain, error: error.message, delayMs })
      await sleep(delayMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

type CommitFacts = { origin: Origin; receivedMs: number; doubt?: string | undefined }

/** Gives out the block after the cursor. */
export function commit<block extends { ref: BlockRef }>(
  state: FollowState,
  block: block,
  { origin, receivedMs, doubt }: CommitFacts,
): ChainEvent<block> {
  const { number, hash, timeS } = block.ref
  state.window.push(block.ref)
  state.heldCount = Math.min(state.heldCount + 1, state.reorgDepthMax)
  state.cursor = { number, hash, timeS }
  state.origins.set(hash, origin)
  return { type: 'commit', block, receivedMs, doubt }
}

/** Blocks given out up to this one are never reverted, nor those up to it that are still to come. */
export function settledNumber({ finalizedNumber, horizonNumber }: FollowState): number {
  return Math.max(finalizedNumber, horizonNumber)
}

type Place = { number: number; hash: string | null }

/** A block that does not follow ours, and the endpoint that reported it. */
export type BranchTip = { ref: BlockRef; endpoint: number }

/** Questions to the nodes about another branch. */
export type BranchNodes = {
  /** The block before this one on its branch; null when no node has it. */
  parent(ref: BlockRef): Promise<BlockRef | null>
  /** Returns true when our block stays: another endpoint has it, where there is one. */
  keeps(ours: Place, tip: BranchTip): Promise<boolean>
  /** The branch that an endpoint reported cannot be followed. */
  blame(tip: BranchTip): void
}

/**
 * Another branch was reported: reverts what is not on it, newest first. Returns the numbers between the cursor and the
 * tip where the branch goes on from the cursor; null where it does not.
 */
export async function* switchBranch(
  state: FollowState,
  nodes: BranchNodes,
  tip: BranchTip,
): AsyncGenerator<ChainEvent<never>, readonly number[] | null> {
  const branch = await findBranch(state, nodes, tip)
  if (branch === null) return null
  const { ancestorNumber, missed } = branch
  if (ancestorNumber === state.cursor.number) return missed
  // Another node's word, where there is one: a single node may be on a branch of its own.
  const ours = state.window.firstAbove(ancestorNumber) ?? state.cursor
  if (!(await nodes.keeps(ours, tip))) yield* revertTo(state, ancestorNumber)
  return null
}

/** Where a branch leaves ours, and its blocks from there to the tip. */
type Branch = { ancestorNumber: number; missed: readonly number[] }

/** Follows a branch down until it meets ours. Null: it cannot be followed, so it may be a lie, or already gone. */
export async function findBranch(
  state: FollowState,
  nodes: Pick<BranchNodes, 'parent' | 'blame'>,
  tip: BranchTip,
): Promise<Branch | null> {
  const floor = floorNumber(state)
  // Where history begins with our first block, all of it may be replaced, whatever was before it.
  const deepest = floor < state.startNumber ? floor : greatestNumberBefore(floor)
  const missed: number[] = []
  let { ref } = tip
  while (!isHeld(state, ref.parentNumber, ref.parentHash)) {
    if (ref.parentNumber < state.startNumber) return { ancestorNumber: deepest, missed: [] }
    // Read before the branch is believed to be too deep: an invented parent does not exist.
    const parent = await nodes.parent(ref)
    if (parent?.hash !== ref.parentHash || parent.number !== ref.parentNumber) {
      nodes.blame(tip)
      return null
    }
    if (ref.parentNumber < floor) return { ancestorNumber: deepest, missed: [] }
    missed.unshift(ref.parentNumber)
    ref = parent
  }
  return { ancestorNumber: ref.parentNumber, missed }
}

function isHeld({ cursor, window }: FollowState, number: number, hash: string): boolean {
  return number === cursor.number ? hash === cursor.hash : window.hashAt(number) === hash
}

/** The lowest block that a branch may part from ours at. */
function floorNumber(state: FollowState): number {
  const { cursor, window } = state
  const lowest = window.oldest()?.parentNumber ?? cursor.number
  return Math.max(Math.min(cursor.number, settledNumber(state)), lowest)
}

/** Reverts all blocks above this one, newest first. */
export async function* revertTo(
  state: FollowState,
  ancestorNumber: number,
): AsyncGenerator<ChainEvent<never>> {
  const { chain, window, startNumber, logger } = state
  const floor = floorNumber(state)
  const depthMax = window.countAbove(floor)
  if (ancestorNumber < floor) throw new ReorgTooDeepError({ chain, depth: depthMax + 1, depthMax })
  const depth = window.countAbove(ancestorNumber)
  if (depth > state.heldCount) {
    const hash = ancestorNumber < startNumber ? null : window.hashAt(ancestorNumber)!
    throw new ReorgDeepError({ chain, depth, ancestor: { number: ancestorNumber, hash } })
  }
  state.reorgCount += 1
  logger.info({ msg: 'Found reorg', chain, depth, ancestorNumber })
  while (state.cursor.number > ancestorNumber) {
    const ref = window.pop()
    state.heldCount -= 1
    const isFirst = ref.parentNumber < startNumber
    const hash = isFirst ? null : ref.parentHash
    state.cursor = { number: ref.parentNumber, hash, timeS: window.tip()?.timeS ?? 0 }
    yield { type: 'revert', ref }
  }
}
