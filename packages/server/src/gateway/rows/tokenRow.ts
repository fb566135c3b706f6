import { decimalOfRaw } from '../../lib/decimal.ts'
import type { TokenSupply } from '../../model/token.ts'
import type { KnownRisk } from '../../risk/riskReader.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero, ratioOf } from '../rest/wireNumber.ts'
import { tokenReason, usdReasonMember } from '../usdReason.ts'
import { type Made, makeRowWindows, type RowDay } from './rowWindows.ts'
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

/** What is said of the last hour and day beside the windows. */
function dayText(day: RowDay): string {
  return (
    `,"price_change_1h":"${day.hourChange}","price_change_24h":"${day.change}"` +
    `,"tx_volume_u_24h":"${day.volume}","tx_count_24h":${day.count}` +
    `,"tx_amount_24h":"${day.amount}","token_price_24h_high":"${day.high}"` +
    `,"token_price_24h_low":"${day.low}"`
  )
}

/**
 * The first part of a token's row as every list and detail shows it: what it says of itself, its supply and its windows.
 * Rows are written down member by member: an object of so many to be encoded would cost several times as much, and every
 * block asks for thousands.
 */
export function tokenLasting(chain: GatewayChain, tokenId: number, nowS: number): Made<string[]> {
  const { reads, profile } = chain
  const { address, name, symbol, decimals } = reads.tokenRecord(tokenId)
  const read = (window: number) => reads.tokenWindow(tokenId, window, nowS)
  const { value, validUntilS } = makeRowWindows(read, decimals, dayText, windowText)
  const start =
    `{"token":"${address}","chain":"${profile.name}","name":${JSON.stringify(name)}` +
    `,"symbol":${JSON.stringify(symbol)},"decimal":${decimals},"logo_url":""`
  const supply = supplyMembers(reads.tokenSupply(tokenId), decimals)
  return { value: [`${start}${supply}${value.day}`, value.windows], validUntilS }
}

/** The second part, with the brace: what every block and the next day may change. */
export function tokenMoving(chain: GatewayChain, tokenId: number, nowS: number): string {
  const { reads } = chain
  const facts = reads.tokenFacts(tokenId)
  const { record, price, launch, mainPairId } = facts
  const known = chain.risk.known(record.address)
  const mainPair = mainPairId === null ? '' : reads.pairRecord(mainPairId).address
  const tvlUsd = reads.tokenTvlUsd(tokenId)
  const mainPairTvlUsd = mainPairId === null ? null : reads.pairTvlUsd(mainPairId)
  // Since 00:00 UTC, from the main pair; 0 when that pair prices the other token.
  const dayChange = changePercent(reads.tokenDayOpenUsd(tokenId, nowS), price?.usd ?? null)
  return (
    `,"current_price_usd":"${decimalOrZero(price?.usd ?? null)}"` +
    `,"current_price_eth":"${decimalOrZero(price?.native ?? null)}"` +
    `,"price_change_1d":"${decimalOrZero(dayChange)}"` +
    `,"market_cap":"${decimalOrZero(facts.marketCapUsd)}","fdv":"${decimalOrZero(facts.fdvUsd)}"` +
    `,"tvl":"${decimalOrZero(tvlUsd)}","main_pair":"${mainPair}"` +
    `,"main_pair_tvl":"${decimalOrZero(mainPairTvlUsd)}"` +
    `,"launch_price":"${decimalOrZero(facts.launchPriceUsd)}","launch_at":${facts.launchedAtS}` +
    `,"created_at":${launch?.createdAtS || (known?.createdAtS ?? 0)},"updated_at":${facts.updatedAtS}` +
    `,"issue_platform":${launch === null ? '""' : JSON.stringify(launch.platform)}` +
    // How far the price can be trusted: the thinnest pool on its route, and since when its oldest step stands.
    `,"price_liquidity_usd":"${decimalOrZero(price?.routeLiquidityUsd ?? null)}"` +
    `,"price_updated_at":${price?.atS ?? 0}${riskMembers(known)}` +
    `${usdReasonMember(tokenReason(price !== null, facts))}}`
  )
}

/** Only what a check of the contract has found; nothing until there was one. */
function riskMembers(known: KnownRisk | null): string {
  if (known === null) return ''
  const { score, isMintable } = known
  const mintable = isMintable === null ? '' : `,"is_mintable":"${isMintable ? 1 : 0}"`
  return `,"risk_score":"${score}"${mintable}`
}

function supplyMembers(supply: TokenSupply | null, decimals: number): string {
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
