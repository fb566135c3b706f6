import type { GatewayChain } from '../../gatewayChain.ts'
import { type EncodedParts, encodedBytes } from '../../operation/encoded.ts'
import type { MarketRows } from '../../rows/marketRows.ts'
import { partsTag } from '../../rows/rowCache.ts'
import type { TokenRowParts } from '../../rows/tokenRows.ts'
import type { Pause } from '../../turns/runInSlices.ts'

/** ASCII JSON before and after an encoded list, such as `{"tokens":` and `}`. */
export type ListFrame = { before: string; after: string }

export const bareFrame: ListFrame = { before: '', after: '' }

const comma = Buffer.from(',')

/**
 * Encodes a JSON array of rows directly into the response buffer: a string of this size would
 * burden the garbage collector with a megabyte.
 */
export function encodedList(rows: readonly TokenRowParts[], frame: ListFrame): EncodedParts {
  const before = `${frame.before}[`
  const after = `]${frame.after}`
  const buffers: Buffer[] = [Buffer.from(before)]
  for (const [index, { lasting, moving }] of rows.entries()) {
    if (index > 0) buffers.push(comma)
    buffers.push(lasting.bytes, moving.bytes)
  }
  buffers.push(Buffer.from(after))
  return encodedBytes(buffers, () =>
    partsTag(
      rows.flatMap(({ lasting, moving }) => [lasting, moving]),
      before + after,
    ),
  )
}

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
