import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../lib/boundedMap.ts'
import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import {
  type BlockRef,
  type ChainEvent,
  highestNumberBefore,
  type NodeFault,
} from '../model/block.ts'
import { type Finality, nonFinalBlocksMaxOf } from '../model/trust/finality.ts'
import { type ChainWindow, createChainWindow } from './chainWindow.ts'
import { nodeFaultOf, ReorgDeepError, ReorgTooDeepError, RpcError } from './errors.ts'

/** Options that all families of chains need to follow a chain. */
export type FollowOptions = {
  chain: string
  /** First block to index if no block is known. */
  startNumber: number
  /** Newest processed blocks, oldest first, linked; the last one is the cursor. */
  known: readonly BlockRef[]
  /** Newest block known to be final. */
  finalizedNumber?: number | undefined
  /**
   * Number of blocks that are reverted one by one. A deeper reorg above final blocks ends the
   * events with a ReorgDeepError.
   */
  reorgDepthMax: number
  finality: Finality
  /** Delay after a failed step; doubles up to 15 s. @default 250 */
  retryMs?: number | undefined
  logger: Logger
  signal: AbortSignal
}

/**
 * The last delivered block that was not reverted. `hash` null: no block was delivered yet, so any
 * block may be first.
 */
type FollowCursor = { number: number; hash: string | null; timeS: number }

/** The endpoint that reported a block, and whether the block's hash proves its content. */
export type Origin = { endpoint: number; isProven: boolean }

/** State of following a chain, shared by the steps of a source. */
export type FollowState = Omit<FollowOptions, 'known' | 'finalizedNumber'> & {
  /** Newest blocks, for finding where another branch diverges. */
  readonly window: ChainWindow
  /** Which endpoint the newest delivered blocks came from, by block hash. */
  readonly origins: Map<string, Origin>
  cursor: FollowCursor
  /** Number of blocks that the consumer can revert, at most reorgDepthMax. */
  heldCount: number
  /** Newest head that a node reported; may briefly be behind the cursor. */
  headNumber: number
  /** Number of the newest delivered final block. Never decreases. */
  finalizedNumber: number
  /** Number of the chain's newest final block, delivered or not. Never decreases. */
  horizonNumber: number
  reorgCount: number
  lastError: NodeFault | null
}

// Number of origins kept; more than a consumer processes ahead.
const originsMax = 4_096
const retryMsDefault = 250
const retryMsMax = 15_000

export function createFollowState(options: FollowOptions): FollowState {
  const { chain, startNumber, known, reorgDepthMax, finality, retryMs, logger, signal } = options
  const before = { number: highestNumberBefore(startNumber), hash: null, timeS: 0 }
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
  // One block more than can be unfinal, so that the newest final block is still in the window.
  return Math.max(reorgDepthMax, nonFinalBlocksMaxOf(finality) + 1)
}

/** Returns the progress fields common to all families of chains. */
export function progressOf(state: FollowState) {
  const { startNumber, headNumber, finalizedNumber, cursor, lastError } = state
  return {
    startNumber,
    headNumber,
    finalizedNumber,
    settledNumber: irreversibleNumberOf(state),
    cursorNumber: cursor.number,
    lastError,
  }
}

/** Runs steps until stopped. After any node failure the next step starts from the cursor again. */
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

/** Delivers the block after the cursor. */
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

/**
 * Returns the number up to which delivered blocks, and blocks still to come, are never reverted.
 */
export function irreversibleNumberOf({ finalizedNumber, horizonNumber }: FollowState): number {
  return Math.max(finalizedNumber, horizonNumber)
}

type Place = { number: number; hash: string | null }

/** A block that does not follow the cursor, and the endpoint that reported it. */
export type BranchTip = { ref: BlockRef; endpoint: number }

/** Requests about another branch. */
export type BranchNodes = {
  /** Returns the block's parent; null if no node has it. */
  parent(ref: BlockRef): Promise<BlockRef | null>
  /**
   * Returns true if the delivered block stays canonical: another endpoint has it, if there is
   * another one.
   */
  keeps(ours: Place, tip: BranchTip): Promise<boolean>
  /** Penalizes the endpoint of a branch that cannot be followed. */
  blame(tip: BranchTip): void
}

/**
 * Switches to another branch: reverts the blocks that are not on it, newest first. If the branch
 * extends the cursor, returns the numbers between the cursor and the tip; otherwise null.
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
  // Another node must confirm the switch if there is one: a single node may be on its own branch.
  const ours = state.window.firstAbove(ancestorNumber) ?? state.cursor
  if (!(await nodes.keeps(ours, tip))) yield* revertTo(state, ancestorNumber)
  return null
}

/** Where a branch diverges, and its block numbers from there to the tip. */
type Branch = { ancestorNumber: number; missed: readonly number[] }

/**
 * Follows a branch back to its common ancestor with the delivered blocks. Null if a parent is
 * missing: the branch may be invented or already gone.
 */
export async function findBranch(
  state: FollowState,
  nodes: Pick<BranchNodes, 'parent' | 'blame'>,
  tip: BranchTip,
): Promise<Branch | null> {
  const floor = floorNumber(state)
  // If indexing started with the first held block, all held blocks may be replaced, whatever
  // precedes them.
  const deepest = floor < state.startNumber ? floor : highestNumberBefore(floor)
  const missed: number[] = []
  let { ref } = tip
  while (!isHeld(state, ref.parentNumber, ref.parentHash)) {
    if (ref.parentNumber < state.startNumber) return { ancestorNumber: deepest, missed: [] }
    // The parent is read before the reorg counts as too deep: an invented parent does not exist.
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

/** Returns the number of the lowest block that a branch may diverge at. */
function floorNumber(state: FollowState): number {
  const { cursor, window } = state
  const lowest = window.oldest()?.parentNumber ?? cursor.number
  return Math.max(Math.min(cursor.number, irreversibleNumberOf(state)), lowest)
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
