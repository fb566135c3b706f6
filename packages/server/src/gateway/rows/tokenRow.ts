import type { TokenFacts } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero, ratioOf } from '../rest/wireNumber.ts'
import type { Made } from './rowCache.ts'
import { makeRowWindows, type RowDay, type RowWindows } from './rowWindows.ts'
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
  const { decimals } = reads.tokenRecord(tokenId)
  return makeRowWindows((window) => reads.tokenWindow(tokenId, window, nowS), decimals, windowText)
}

/**
 * JSON of a token as every list and detail shows it, written down member by member: an object of so many to be encoded
 * would cost several times as much, and every block asks for thousands.
 */
export function tokenRow(
  chain: GatewayChain,
  tokenId: number,
  { day, text }: RowWindows,
  tvlUsd?: number,
): string {
  return `${tokenHead(chain, tokenId, day, tvlUsd)}${text}}`
}

/** The row up to the members of its windows, which change at other times. */
export function tokenHead(
  chain: GatewayChain,
  tokenId: number,
  day: RowDay,
  tvlUsd = chain.reads.tokenTvlUsd(tokenId),
): string {
  const { reads, profile } = chain
  const facts = reads.tokenFacts(tokenId)
  const { record, price, launch, mainPairId } = facts
  const mainPair = mainPairId === null ? '' : reads.pairRecord(mainPairId).address
  const mainPairTvlUsd = mainPairId === null ? null : reads.pairTvlUsd(mainPairId)
  // Since 00:00 UTC, from the main pair; 0 when that pair prices the other token.
  const dayChange = changePercent(facts.dayOpenUsd, price?.usd ?? null)
  return (
    `{"token":"${record.address}","chain":"${profile.name}","name":${JSON.stringify(record.name)}` +
    `,"symbol":${JSON.stringify(record.symbol)},"decimal":${record.decimals},"logo_url":""` +
    `,"current_price_usd":"${decimalOrZero(price?.usd ?? null)}"` +
    `,"current_price_eth":"${decimalOrZero(price?.native ?? null)}"` +
    `,"price_change_1h":"${day.hourChange}","price_change_1d":"${decimalOrZero(dayChange)}"` +
    `,"price_change_24h":"${day.change}","tx_volume_u_24h":"${day.volume}"` +
    `,"tx_count_24h":${day.count},"tx_amount_24h":"${day.amount}"` +
    `,"market_cap":"${decimalOrZero(facts.marketCapUsd)}","fdv":"${decimalOrZero(facts.fdvUsd)}"` +
    `,"tvl":"${decimalOrZero(tvlUsd)}","main_pair":"${mainPair}"` +
    `,"main_pair_tvl":"${decimalOrZero(mainPairTvlUsd)}"${supplyMembers(facts)}` +
    `,"launch_price":"${decimalOrZero(facts.launchPriceUsd)}","launch_at":${facts.launchedAtS}` +
    `,"created_at":${launch?.createdAtS ?? 0},"updated_at":${facts.updatedAtS}` +
    `,"issue_platform":${launch === null ? '""' : JSON.stringify(launch.platform)}` +
    // How far the price can be trusted: the thinnest pool on its route and when it last moved.
    `,"price_liquidity_usd":"${decimalOrZero(price?.routeLiquidityUsd ?? null)}"` +
    `,"price_updated_at":${price?.atS ?? 0},"token_price_24h_high":"${day.high}"` +
    `,"token_price_24h_low":"${day.low}"${riskMembers(chain, record.address)}`
  )
}

/** Only what a check of the contract has found; nothing until there was one. */
function riskMembers({ risk }: GatewayChain, address: string): string {
  const known = risk?.known(address) ?? null
  if (known === null) return ''
  const { score, isMintable } = known
  const mintable = isMintable === null ? '' : `,"is_mintable":"${isMintable ? 1 : 0}"`
  return `,"risk_score":"${score}"${mintable}`
}

function supplyMembers({ record: { decimals }, supply }: TokenFacts): string {
  if (supply === null) return noSupply
  const { holders, isComplete, total, locked, burnt, other } = supply
  return (
    `,"holders":${holders},"holders_complete":${isComplete}` +
    `,"total":"${decimalOfRaw(total, decimals)}","lock_amount":"${decimalOfRaw(locked, decimals)}"` +
    `,"burn_amount":"${decimalOfRaw(burnt, decimals)}"` +
    `,"other_amount":"${decimalOfRaw(other, decimals)}"` +
    `,"locked_percent":"${decimalOrZero(ratioOf(locked, total))}"`
  )
}

const noSupply =
  ',"holders":0,"holders_complete":false,"total":"0","lock_amount":"0","burn_amount":"0"' +
  ',"other_amount":"0","locked_percent":"0"'
