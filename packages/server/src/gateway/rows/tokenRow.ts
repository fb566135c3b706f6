import type { PairState, TokenFacts } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero, ratioOf } from '../rest/wireNumber.ts'
import type { Made } from './rowCache.ts'
import { makeRowWindows, type RowWindows } from './rowWindows.ts'
import { createWindowText } from './windowText.ts'

const windowText = createWindowText({
  priceChange: (window) => `token_price_change_${window}`,
  volume: (window) => `token_tx_volume_usd_${window}`,
  buyVolume: (window) => `token_buy_tx_volume_usd_${window}`,
  sellVolume: (window) => `token_sell_tx_volume_usd_${window}`,
  organicVolume: (window) => `token_organic_tx_volume_usd_${window}`,
  count: (window) => `token_tx_count_${window}`,
  buyCount: (window) => `token_buy_tx_count_${window}`,
  sellCount: (window) => `token_sell_tx_count_${window}`,
  makers: (window) => `token_makers_${window}`,
  buyers: (window) => `token_buyers_${window}`,
  sellers: (window) => `token_sellers_${window}`,
})

export function tokenWindows(
  { reads }: GatewayChain,
  tokenId: number,
  nowS: number,
): Made<RowWindows> {
  return makeRowWindows((window) => reads.tokenWindow(tokenId, window, nowS), windowText)
}

/** JSON of a token as every list and detail shows it. */
export function tokenRow(chain: GatewayChain, tokenId: number, { day, text }: RowWindows): string {
  const { reads, profile } = chain
  const state = reads.tokenFacts(tokenId)
  const { record, price, launch } = state
  const mainPair = state.mainPairId === null ? null : reads.pairState(state.mainPairId)
  const lasting = {
    token: record.address,
    chain: profile.name,
    name: record.name,
    symbol: record.symbol,
    decimal: record.decimals,
    logo_url: '',
    current_price_usd: decimalOrZero(price?.usd ?? null),
    current_price_eth: decimalOrZero(price?.native ?? null),
    price_change_1h: day.hourChange,
    price_change_1d: decimalOrZero(dayChangePercent(state, mainPair)),
    price_change_24h: day.change,
    tx_volume_u_24h: day.volume,
    tx_count_24h: day.count,
    tx_amount_24h: decimalOfRaw(day.amountRaw, record.decimals),
    market_cap: decimalOrZero(state.marketCapUsd),
    fdv: decimalOrZero(state.fdvUsd),
    tvl: decimalOrZero(reads.tokenTvlUsd(tokenId)),
    main_pair: mainPair?.record.address ?? '',
    main_pair_tvl: decimalOrZero(mainPair?.tvlUsd ?? null),
    ...supplyFields(state),
    launch_price: decimalOrZero(state.launchPriceUsd),
    launch_at: state.launchedAtS,
    created_at: launch?.createdAtS ?? 0,
    updated_at: state.updatedAtS,
    issue_platform: launch?.platform ?? '',
    // How far the price can be trusted: the thinnest pool on its route and when it last moved.
    price_liquidity_usd: decimalOrZero(price?.routeLiquidityUsd ?? null),
    price_updated_at: price?.atS ?? 0,
    token_price_24h_high: day.high,
    token_price_24h_low: day.low,
    ...riskFields(chain, record.address),
  }
  return `${JSON.stringify(lasting).slice(0, -1)}${text}}`
}

/** Only what a check of the contract has found; nothing until there was one. */
function riskFields({ risk }: GatewayChain, address: string) {
  const known = risk?.known(address) ?? null
  if (known === null) return {}
  const { score, isMintable } = known
  const mintable = isMintable === null ? {} : { is_mintable: isMintable ? '1' : '0' }
  return { risk_score: String(score), ...mintable }
}

function supplyFields({ record, supply }: TokenFacts) {
  const amount = (raw: bigint | undefined) => decimalOfRaw(raw ?? 0n, record.decimals)
  return {
    holders: supply?.holders ?? 0,
    holders_complete: supply?.isComplete ?? false,
    total: amount(supply?.total),
    lock_amount: amount(supply?.locked),
    burn_amount: amount(supply?.burnt),
    other_amount: amount(supply?.other),
    locked_percent: decimalOrZero(supply === null ? 0 : ratioOf(supply.locked, supply.total)),
  }
}

/** Since 00:00 UTC, from the main pair; 0 when that pair prices the other token. */
export function dayChangePercent(
  { record, price }: TokenFacts,
  pair: Pick<PairState, 'targetTokenId' | 'dayOpenUsd'> | null,
): number {
  if (pair === null || price === null) return 0
  return pair.targetTokenId === record.id ? changePercent(pair.dayOpenUsd, price.usd) : 0
}
