import type { GatewayChain } from '../gatewayChain.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import type { TokenFigures } from '../rows/tokenFigures.ts'

/** A token of one of the chains. */
export type TokenRef = { chain: GatewayChain; tokenId: number }

export type OrderWord = 'tx_volume_u_24h' | 'market_cap' | 'main_pair_tvl' | 'fdv'

const figureOf: Readonly<Record<OrderWord, (figures: TokenFigures) => number>> = {
  tx_volume_u_24h: ({ volume24hUsd }) => volume24hUsd,
  market_cap: ({ marketCapUsd }) => marketCapUsd,
  main_pair_tvl: ({ mainPairTvlUsd }) => mainPairTvlUsd,
  fdv: ({ fdvUsd }) => fdvUsd,
}

/** Largest first; of equal ones those that came first stay first. */
export function inOrder<ref extends TokenRef>(
  refs: readonly ref[],
  orderby: OrderWord,
  rows: MarketRows,
): ref[] {
  const figure = figureOf[orderby]
  return refs
    .map((ref) => ({ ref, value: figure(rows.tokenFigures.of(ref.chain, ref.tokenId)) }))
    .sort((a, b) => b.value - a.value)
    .map(({ ref }) => ref)
}

export function rowsText(refs: readonly TokenRef[], rows: MarketRows): string {
  return `[${refs.map(({ chain, tokenId }) => rows.token.json(chain, tokenId)).join()}]`
}
