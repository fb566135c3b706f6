import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { type JsonWriter, joinBuffers } from '../../ground/encodedJson.ts'
import type { PauseCheck } from '../../ground/steps.ts'
import type { MarketRows, TokenRowParts } from '../../rows/marketRows.ts'
import { partsEtag } from '../../rows/rowCache.ts'

/** ASCII JSON before and after an encoded list, such as `{"tokens":` and `}`. */
export type ListFrame = { before: string; after: string }

export const noFrame: ListFrame = { before: '', after: '' }

const comma = Buffer.from(',')

/**
 * Encodes a JSON array of rows directly into the response buffer: a string of this size would
 * burden the garbage collector with a megabyte.
 */
export function encodeTokenList(rows: readonly TokenRowParts[], frame: ListFrame): JsonWriter {
  const before = `${frame.before}[`
  const after = `]${frame.after}`
  const buffers: Buffer[] = [Buffer.from(before)]
  for (const [index, { lasting, moving }] of rows.entries()) {
    if (index > 0) buffers.push(comma)
    buffers.push(lasting.bytes, moving.bytes)
  }
  buffers.push(Buffer.from(after))
  return joinBuffers(buffers, () =>
    partsEtag(
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
export async function encodeOrderedTokens(
  refs: readonly TokenRef[],
  rankOf: (ref: TokenRef) => number,
  rows: MarketRows,
  pause: PauseCheck,
  frame: ListFrame = noFrame,
): Promise<JsonWriter | null> {
  const shown: TokenRowParts[] = []
  const values: number[] = []
  for (const ref of refs) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    shown.push(rows.tokenRows.parts(ref.chain, ref.tokenId))
    values.push(rankOf(ref))
  }
  const inOrder = values.map((_, at) => at).sort((a, b) => values[b]! - values[a]!)
  // Pauses before encoding, because the answer must be sent in the same scheduler slot.
  const pausing = pause()
  if (pausing !== null && !(await pausing)) return null
  return encodeTokenList(
    inOrder.map((at) => shown[at]!),
    frame,
  )
}
