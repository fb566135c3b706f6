import { RpcError } from '../../errors.ts'
import { type FetchedBlock, fetchBlock, fetchHeader } from '../fetch/fetchBlock.ts'
import type { EvmHeader } from '../fetch/rawBlock.ts'
import type { SourceState } from '../sourceState.ts'

/** Why a block cannot be of the time that it reports. */
export function timeFault(state: SourceState, fetched: FetchedBlock): string | null {
  const { number } = fetched.block.ref
  if (isOlder(state, fetched)) return `Block ${number} is older than the block before it`
  return isAhead(state, fetched) ? `Block ${number} is ahead of the clock` : null
}

export function isOlder({ cursor }: SourceState, { block }: FetchedBlock): boolean {
  return block.ref.timeS < cursor.timeS
}

function isAhead({ context, headerAheadSMax }: SourceState, { block }: FetchedBlock): boolean {
  return headerAheadSMax > 0 && block.ref.timeS > context.nowMs() / 1_000 + headerAheadSMax
}

/** Two endpoints say the same, or the block's hash does: then it is our own clock that is behind. */
export function isAheadRightly(
  state: SourceState,
  one: FetchedBlock,
  other: FetchedBlock,
): boolean {
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
 * A block follows the cursor by its hash and is older than it: does any endpoint tell of the cursor what fits both? Those
 * that tell the impossible are asked last from here on.
 */
export async function isParentWrong(state: SourceState, child: FetchedBlock): Promise<boolean> {
  const { cursor, context } = state
  const told = await askEach(state, cursor.hash!)
  const proven = told.find(({ header }) => header.isProven)
  const fits = ({ header }: Told) => header.timeS <= child.block.ref.timeS
  if (proven === undefined ? !told.some(fits) : !fits(proven)) return false
  for (const one of told)
    if (!fits(one))
      context.rpc.penalise(one.endpoint, `Block ${cursor.number} is newer than the block after it`)
  return true
}

type Told = { header: EvmHeader; endpoint: number }

/** What each endpoint that answers says of a block. */
async function askEach({ context, signal }: SourceState, hash: string): Promise<Told[]> {
  const told = new Map<number, Told>()
  const all = Array.from({ length: context.rpc.endpointCount() }, (_, endpoint) => endpoint)
  for (const endpoint of all) {
    const avoid = all.filter((other) => other !== endpoint)
    try {
      const answer = await fetchHeader(context, hash, { signal, avoid, roundsMax: 1 })
      if (answer !== null) told.set(answer.endpoint, answer)
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind === 'aborted') throw error
    }
  }
  return [...told.values()]
}

/**
 * The block itself, or as another endpoint reports it if the one after it is older: before it is given out as final, since
 * what is final is never reverted.
 */
export async function withRightTime(
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
