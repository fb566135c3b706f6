import type { GatewayChain } from '../../gatewayChain.ts'
import type { EncodedParts } from '../../operation/encoded.ts'
import type { MarketRows } from '../../rows/marketRows.ts'
import type { TokenRowParts } from '../../rows/tokenRows.ts'
import type { Pause } from '../../turns/runInSlices.ts'
import { bareFrame, encodedList, type ListFrame } from './encodedList.ts'

/** A token of one of the chains. */
export type TokenRef = { chain: GatewayChain; tokenId: number }

/**
 * The rows as a JSON array, largest first; of equal ones those that came first stay first. Each row is read together
 * with what it is ordered by: a block in between cannot put them in another order than they show.
 */
export async function orderedRows(
  refs: readonly TokenRef[],
  rankOf: (ref: TokenRef) => number,
  rows: MarketRows,
  pause: Pause,
  frame: ListFrame = bareFrame,
): Promise<EncodedParts | null> {
  const shown: TokenRowParts[] = []
  const values: number[] = []
  for (const ref of refs) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    shown.push(rows.token.parts(ref.chain, ref.tokenId))
    values.push(rankOf(ref))
  }
  const inOrder = values.map((_, at) => at).sort((a, b) => values[b]! - values[a]!)
  // It is sent in the same turn.
  const pausing = pause()
  if (pausing !== null && !(await pausing)) return null
  return encodedList(
    inOrder.map((at) => shown[at]!),
    frame,
  )
}
