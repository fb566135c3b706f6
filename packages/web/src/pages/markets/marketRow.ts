import type { PairDetail, ScreenedRow, TokenRow } from '@chaintape/protocol'
import { figureOf, knownOf } from '../../lib/format.ts'

/** A token or a pair in a list of markets. */
export type MarketRow = {
  /** `<address>-<chain>` */
  id: string
  href: string
  symbol: string
  /** Symbol of the quote token of a pair; null for a token. */
  quote: string | null
  name: string
  /** Badge: launch platform of a token, venue of a pair. */
  badge: string
  /** 0 to 100; null if not checked. */
  riskScore: number | null
  priceUsd: string
  change5m: string
  change1h: string
  change24h: string
  volumeUsd: string
  trades: number
  makers: number
  /** Undefined if unknown. */
  liquidityUsd: string | undefined
  mcapUsd: string | undefined
  holders: number | undefined
  createdS: number
}

export const rowOfToken = (row: TokenRow): MarketRow => ({
  id: `${row.token}-${row.chain}`,
  href: `/token/${row.token}-${row.chain}`,
  symbol: row.symbol,
  quote: null,
  name: row.name,
  badge: row.issue_platform,
  riskScore: row.risk_score == null ? null : Number(row.risk_score),
  priceUsd: row.current_price_usd,
  change5m: row.token_price_change_5m,
  change1h: row.token_price_change_1h,
  change24h: row.price_change_24h,
  volumeUsd: row.tx_volume_u_24h,
  trades: row.tx_count_24h,
  makers: row.token_makers_24h,
  // The screener's figure.
  liquidityUsd: figureOf(row, 'main_pair_tvl'),
  mcapUsd: knownOf(row.market_cap),
  holders: row.holders,
  createdS: row.launch_at,
})

export function rowOfPair(row: PairDetail): MarketRow {
  const isOf0 = row.target_token === row.token0_address
  return {
    id: `${row.pair}-${row.chain}`,
    href: `/pair/${row.pair}-${row.chain}`,
    symbol: isOf0 ? row.token0_symbol : row.token1_symbol,
    quote: isOf0 ? row.token1_symbol : row.token0_symbol,
    name: '',
    badge: row.amm,
    riskScore: null,
    priceUsd: isOf0 ? row.token0_price_usd : row.token1_price_usd,
    change5m: row.price_change_5m,
    change1h: row.price_change_1h,
    change24h: row.price_change_24h,
    volumeUsd: row.volume_u_24h,
    trades: row.tx_24h_count,
    makers: row.makers_24h,
    liquidityUsd: figureOf(row, 'tvl'),
    mcapUsd: knownOf(row.market_cap),
    holders: undefined,
    createdS: row.created_at,
  }
}

export const rowOfScreened = (row: ScreenedRow, of: 'tokens' | 'pairs'): MarketRow => ({
  id: row.id,
  href: of === 'pairs' ? `/pair/${row.id}` : `/token/${row.id}`,
  symbol: row.symbol,
  quote: of === 'pairs' ? row.quote_symbol : null,
  name: row.name,
  badge: of === 'pairs' ? row.amm : '',
  riskScore: row.risk_score,
  priceUsd: row.price,
  change5m: row.change_5m,
  change1h: row.change_1h,
  change24h: row.change_24h,
  volumeUsd: row.volume_24h,
  trades: row.trades_24h,
  makers: row.makers_24h,
  liquidityUsd: row.liquidity ?? undefined,
  mcapUsd: knownOf(row.market_cap),
  holders: row.holders ?? undefined,
  createdS: row.created_at ?? 0,
})
