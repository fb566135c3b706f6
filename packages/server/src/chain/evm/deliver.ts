import type { BlockRef } from '../../model/block.ts'
import { InconsistentNodeError, RpcError } from '../errors.ts'
import { type BranchNodes, type BranchTip, commit, revertTo, switchBranch } from '../follow.ts'
import {
  type FetchedBlock,
  fetchBlock,
  fetchBlockByNumber,
  fetchHeader,
} from './fetch/fetchBlock.ts'
import type { EvmHeader } from './fetch/rawBlock.ts'
import type { EvmChainEvent, SourceState } from './sourceState.ts'

/**
 * Returns true if the chain advanced, or false if the block did not link and the next ones must be
 * fetched again.
 */
type Delivery = AsyncGenerator<EvmChainEvent, boolean>

/** Delivers the next block after the cursor, or reverts blocks that another branch replaced. */
export async function* deliver(state: SourceState, fetched: FetchedBlock): Delivery {
  const next = linked(state, fetched)
  const fault = linkFault(state, next) ?? timeFault(state, next)
  if (fault === null) {
    yield commitFetched(state, next)
    return true
  }
  const { context, signal } = state
  const { number } = next.block.ref
  const found = await fetchBlockByNumber(context, number, { signal, avoid: [next.endpoint] })
  if (found === null) return false
  const again = linked(state, found)
  const { ref } = again.block
  if (linkFault(state, again) !== null) {
    yield* switchToBranch(state, { ref, endpoint: again.endpoint })
    return false
  }
  const againFault = timeFault(state, again)
  if (againFault === null) context.rpc.penalise(next.endpoint, fault)
  if (againFault === null || isAheadRightly(state, next, again)) {
    yield commitFetched(state, again)
    return true
  }
  if (isOlder(state, again) && (await isParentWrong(state, again))) {
    const parent = state.window.tip()!
    const { number: parentNumber, parentNumber: ancestorNumber } = parent
    state.logger.warn({ msg: 'Block had a wrong time', chain: state.chain, number: parentNumber })
    yield* revertTo(state, ancestorNumber)
    return false
  }
  throw new InconsistentNodeError({ chain: state.chain, block: ref.hash, fault: againFault })
}

/**
 * Links a block to the cursor if the blocks between were not read because they have no relevant
 * logs. Only final blocks are skipped, so the block cannot be on another branch.
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

function commitFetched(state: SourceState, fetched: FetchedBlock): EvmChainEvent {
  const { block, receivedMs, doubt, logsEndpoint: endpoint, hasProvenLogs: isProven } = fetched
  state.context.failedChecks.onRead(block.ref.number)
  return commit(state, block, { origin: { endpoint, isProven }, receivedMs, doubt })
}

/**
 * Handles a block or head that does not follow the cursor: switches to its branch if nodes confirm
 * it.
 */
export async function* switchToBranch(
  state: SourceState,
  tip: BranchTip,
): AsyncGenerator<EvmChainEvent> {
  yield* switchBranch(state, branchNodesOf(state), tip)
}

function branchNodesOf({ context, signal }: SourceState): BranchNodes {
  return {
    async parent({ parentHash }) {
      const found = await fetchHeader(context, parentHash, { signal })
      return found === null ? null : refOf(found.header)
    },
    async keeps(ours, { endpoint }) {
      const other = await fetchHeader(context, ours.number, { signal, avoid: [endpoint] })
      return other === null || other.header.hash === ours.hash
    },
    blame({ ref, endpoint }) {
      if (endpoint >= 0)
        context.rpc.penalise(endpoint, `Branch of block ${ref.number} leads nowhere`)
    },
  }
}

export function refOf({ number, hash, parentHash, timeS }: EvmHeader): BlockRef {
  return { number, hash, parentNumber: number - 1, parentHash, timeS }
}

/** Returns why a block cannot have the time it reports; null if the time is possible. */
function timeFault(state: SourceState, fetched: FetchedBlock): string | null {
  const { number } = fetched.block.ref
  if (isOlder(state, fetched)) return `Block ${number} is older than the block before it`
  return isAhead(state, fetched) ? `Block ${number} is ahead of the clock` : null
}

function isOlder({ cursor }: SourceState, { block }: FetchedBlock): boolean {
  return block.ref.timeS < cursor.timeS
}

function isAhead({ context, headerAheadSMax }: SourceState, { block }: FetchedBlock): boolean {
  return headerAheadSMax > 0 && block.ref.timeS > context.nowMs() / 1_000 + headerAheadSMax
}

/**
 * Accepts a time ahead of the clock if two endpoints report it or the hash proves it: then the
 * local clock is slow.
 */
function isAheadRightly(state: SourceState, one: FetchedBlock, other: FetchedBlock): boolean {
  if (isOlder(state, other)) return false
  const [{ ref }, { ref: otherRef }] = [one.block, other.block]
  const isSame = ref.hash === otherRef.hash && ref.timeS === otherRef.timeS
  const isRight = other.isProven || (isSame && one.endpoint !== other.endpoint)
  if (isRight)
    state.logger.warn({
      msg: 'Block is ahead of the clock',
      chain: state.context.chain,
      number: otherRef.number,
      aheadS: Math.round(otherRef.timeS - state.context.nowMs() / 1_000),
    })
  return isRight
}

/**
 * Finds the wrong one of two linked blocks when a child's time is earlier than its parent's.
 * Returns true if another endpoint reports a time of the parent that is possible, so that the
 * stored parent is wrong. Endpoints that report an impossible time are asked last from then on.
 */
async function isParentWrong(state: SourceState, child: FetchedBlock): Promise<boolean> {
  const { cursor, context } = state
  const reports = await askEach(state, cursor.hash!)
  const proven = reports.find(({ header }) => header.isProven)
  const fits = ({ header }: HeaderReport) => header.timeS <= child.block.ref.timeS
  if (proven === undefined ? !reports.some(fits) : !fits(proven)) return false
  for (const report of reports)
    if (!fits(report))
      context.rpc.penalise(
        report.endpoint,
        `Block ${cursor.number} is newer than the block after it`,
      )
  return true
}

type HeaderReport = { header: EvmHeader; endpoint: number }

/** Reads the block's header from each endpoint that answers. */
async function askEach({ context, signal }: SourceState, hash: string): Promise<HeaderReport[]> {
  const reports = new Map<number, HeaderReport>()
  const all = Array.from({ length: context.rpc.endpointCount() }, (_, endpoint) => endpoint)
  for (const endpoint of all) {
    const avoid = all.filter((other) => other !== endpoint)
    try {
      const answer = await fetchHeader(context, hash, { signal, avoid, roundsMax: 1 })
      if (answer !== null) reports.set(answer.endpoint, answer)
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind === 'aborted') throw error
    }
  }
  return [...reports.values()]
}

/**
 * Returns the block, or another endpoint's report of it if the next block is older. Runs before the
 * block is delivered as final, because final blocks are never reverted.
 */
export async function withVerifiedTime(
  { context, signal }: SourceState,
  fetched: FetchedBlock,
  child: FetchedBlock,
): Promise<FetchedBlock> {
  const { number, hash, timeS } = fetched.block.ref
  const { ref } = child.block
  const isAdjacent = ref.number === number + 1
  if ((isAdjacent && ref.parentHash !== hash) || ref.timeS >= timeS) return fetched
  const again = await fetchBlock(context, hash, { signal, avoid: [fetched.endpoint] })
  if (again === null || again.block.ref.timeS > ref.timeS) return fetched
  context.rpc.penalise(fetched.endpoint, `Block ${number} is newer than the block after it`)
  return again
}
