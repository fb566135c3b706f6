import type { GatewayChain } from '../../gatewayChain.ts'
import type { EncodedParts } from '../../operation/encoded.ts'
import type { MarketRows } from '../../rows/marketRows.ts'
import type { TokenRowParts } from '../../rows/tokenRows.ts'
import type { Pause } from '../../turns/runInSlices.ts'
import { bareFrame, encodedList, type ListFrame } from './encodedList.ts'

/** A token of one chain, by id. */
export type TokenRef = { chain: GatewayChain; tokenId: number }

/**
 * Encodes token rows as a JSON array, largest value first; equal values keep their order. Row and
 * value are read together, so that a block between two rows cannot contradict the order. Null: a
 * reorg happened meanwhile.
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
  // Pauses before encoding, because the answer must be sent in the same scheduler slot.
  const pausing = pause()
  if (pausing !== null && !(await pausing)) return null
  return encodedList(
    inOrder.map((at) => shown[at]!),
    frame,
  )
}
