import { type Clock, type GatewayChain, nowSOf } from '../../gatewayChain.ts'
import type { EncodedParts } from '../../operation/encoded.ts'
import { ListRows } from '../../rows/listRows.ts'
import type { MarketRows } from '../../rows/marketRows.ts'
import { finite, mainPairTvlUsd } from '../../rows/tokenRow.ts'
import type { Pause } from '../../turns/runInSlices.ts'
import { bareFrame, encodedList, type ListFrame } from './encodedList.ts'

/** A token of one of the chains. */
export type TokenRef = { chain: GatewayChain; tokenId: number }

export type OrderWord = 'tx_volume_u_24h' | 'market_cap' | 'main_pair_tvl' | 'fdv'

/** What a token is ordered by now: the number that its row shows. */
export function orderedBy(
  orderby: OrderWord,
  { days }: MarketRows,
  clock: Clock,
): (ref: TokenRef) => number {
  switch (orderby) {
    case 'tx_volume_u_24h':
      return ({ chain, tokenId }) => days.volumeUsd(chain, tokenId, nowSOf(chain, clock))
    case 'market_cap':
      return ({ chain, tokenId }) => finite(chain.reads.tokenWorth(tokenId).marketCapUsd)
    case 'fdv':
      return ({ chain, tokenId }) => finite(chain.reads.tokenWorth(tokenId).fdvUsd)
    case 'main_pair_tvl':
      return ({ chain, tokenId }) => mainPairTvlUsd(chain, chain.reads.mainPairOf(tokenId))
  }
}

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
  const held = new ListRows(rows.memory)
  const values: number[] = []
  for (const ref of refs) {
    const pausing = pause()
    if (pausing !== null) {
      held.pause()
      if (!(await pausing) || !held.isValid()) return null
    }
    held.add(rows.token.parts(ref.chain, ref.tokenId))
    values.push(rankOf(ref))
  }
  const inOrder = values.map((_, at) => at).sort((a, b) => values[b]! - values[a]!)
  // It is sent in the same turn.
  const pausing = pause()
  if (pausing !== null) {
    held.pause()
    if (!(await pausing) || !held.isValid()) return null
  }
  return encodedList(
    inOrder.map((at) => held.rows[at]!),
    frame,
  )
}
