import type { Pause } from '../acrossTurns.ts'
import type { EncodedParts } from '../encoded.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import type { TokenFigures } from '../rows/tokenFigures.ts'
import type { TokenText } from '../rows/tokenTexts.ts'
import { encodedList, type ListFrame } from './encodedList.ts'

/** A token of one of the chains. */
export type TokenRef = { chain: GatewayChain; tokenId: number }

export type OrderWord = 'tx_volume_u_24h' | 'market_cap' | 'main_pair_tvl' | 'fdv'

const figureOf: Readonly<Record<OrderWord, (figures: TokenFigures) => number>> = {
  tx_volume_u_24h: ({ volume24hUsd }) => volume24hUsd,
  market_cap: ({ marketCapUsd }) => marketCapUsd,
  main_pair_tvl: ({ mainPairTvlUsd }) => mainPairTvlUsd,
  fdv: ({ fdvUsd }) => fdvUsd,
}

/** What a token is ordered by now. */
export function orderedBy(orderby: OrderWord, rows: MarketRows): (ref: TokenRef) => number {
  const figure = figureOf[orderby]
  return ({ chain, tokenId }) => figure(rows.tokenFigures.of(chain, tokenId))
}

const bareFrame: ListFrame = { before: '', after: '' }

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
  const found: { row: TokenText; value: number }[] = []
  for (const ref of refs) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    found.push({ row: rows.token.parts(ref.chain, ref.tokenId), value: rankOf(ref) })
  }
  found.sort((a, b) => b.value - a.value)
  // It is sent in the same turn.
  const pausing = pause()
  if (pausing !== null && !(await pausing)) return null
  const inOrder = found.map(({ row }) => row)
  return encodedList(inOrder, frame)
}
