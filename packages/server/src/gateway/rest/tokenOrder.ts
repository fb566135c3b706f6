import type { Pause } from '../acrossTurns.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import type { TokenFigures } from '../rows/tokenFigures.ts'

/** A token of one of the chains. */
export type TokenRef = { chain: GatewayChain; tokenId: number }

export type OrderWord = 'tx_volume_u_24h' | 'market_cap' | 'main_pair_tvl' | 'fdv'

export const figureOf: Readonly<Record<OrderWord, (figures: TokenFigures) => number>> = {
  tx_volume_u_24h: ({ volume24hUsd }) => volume24hUsd,
  market_cap: ({ marketCapUsd }) => marketCapUsd,
  main_pair_tvl: ({ mainPairTvlUsd }) => mainPairTvlUsd,
  fdv: ({ fdvUsd }) => fdvUsd,
}

export type Figured = { ref: TokenRef; figures: TokenFigures }

/** Reads what tokens are selected by. */
export async function figuresOf(
  refs: readonly TokenRef[],
  rows: MarketRows,
  pause: Pause,
): Promise<Figured[] | null> {
  const found: Figured[] = []
  for (const ref of refs) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    found.push({ ref, figures: rows.tokenFigures.of(ref.chain, ref.tokenId) })
  }
  return found
}

/** What a token is ordered by now. */
export function orderedBy(orderby: OrderWord, rows: MarketRows): (ref: TokenRef) => number {
  const figure = figureOf[orderby]
  return ({ chain, tokenId }) => figure(rows.tokenFigures.of(chain, tokenId))
}

/**
 * The rows as a JSON array, largest first; of equal ones those that came first stay first. Each row is read together
 * with what it is ordered by: a block in between cannot put them in another order than they show.
 */
export async function orderedText(
  refs: readonly TokenRef[],
  rankOf: (ref: TokenRef) => number,
  rows: MarketRows,
  pause: Pause,
): Promise<string | null> {
  const found: { text: string; value: number }[] = []
  for (const ref of refs) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    found.push({ text: rows.token.json(ref.chain, ref.tokenId), value: rankOf(ref) })
  }
  found.sort((a, b) => b.value - a.value)
  return `[${found.map(({ text }) => text).join()}]`
}
