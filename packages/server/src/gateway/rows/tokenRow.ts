import { tokenWindowFields } from '@chaintape/protocol/descriptions'
import { decimalOfRaw } from '../../lib/decimal.ts'
import { logoUrlOf } from '../../model/chainProfile.ts'
import { isTotalKnown, type TokenSupply } from '../../model/token.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { tokenDayText, tokenNamesText, tokenNowText, tokenSupplyText } from '../rowTexts.ts'
import { dayEndS, type Made, makeRowWindows, type RowDay } from './rowWindows.ts'
import { tokenReason } from './usdReason.ts'
import { createWindowText, ofWindow } from './windowText.ts'
import { changePercent, decimalOrZero, ratioOf, unknownMark } from './wireNumber.ts'

const windowText = createWindowText(tokenWindowFields, {
  'token_price_change_*': ofWindow.priceChange,
  'token_tx_volume_usd_*': ofWindow.volume,
  'token_buy_tx_volume_usd_*': ofWindow.buyVolume,
  'token_sell_tx_volume_usd_*': ofWindow.sellVolume,
  'token_organic_tx_volume_usd_*': ofWindow.organicVolume,
  'token_tx_count_*': ofWindow.count,
  'token_buy_tx_count_*': ofWindow.buyCount,
  'token_sell_tx_count_*': ofWindow.sellCount,
  'token_makers_*': ofWindow.makers,
  'token_buyers_*': ofWindow.buyers,
  'token_sellers_*': ofWindow.sellers,
})

// So long a row without its token's image is given before it is looked for again.
const imageWaitS = 10

/** What is said of the last hour and day beside the windows. */
function dayText(day: RowDay): string {
  return tokenDayText({
    price_change_1h: day.hourChange,
    price_change_24h: day.change,
    tx_volume_u_24h: day.volume,
    tx_count_24h: `${day.count}`,
    tx_amount_24h: day.amount,
  })
}

/** The first part of a token's row as every list and detail shows it: what it says of itself, its supply and its windows. */
export function tokenLasting(chain: GatewayChain, tokenId: number, nowS: number): Made<string[]> {
  const { reads, profile } = chain
  const { address, name, symbol, decimals } = reads.tokenRecord(tokenId)
  const read = (window: number) => reads.tokenWindow(tokenId, window, nowS)
  const { value, validUntilS } = makeRowWindows(read, decimals, dayText, windowText)
  const image = chain.images?.of(address)
  // Nothing of the market tells when it is known.
  const imageUntilS = image === '' ? nowS + imageWaitS : Number.POSITIVE_INFINITY
  const start = tokenNamesText({
    token_id: `"${address}-${profile.name}"`,
    token: `"${address}"`,
    chain: `"${profile.name}"`,
    name: JSON.stringify(name),
    symbol: JSON.stringify(symbol),
    decimal: `${decimals}`,
    logo_url: JSON.stringify(image || logoUrlOf(profile, address)),
  })
  const supply = reads.tokenSupply(tokenId)
  const ofSupply = supply === null ? noSupply : supplyText(supply, decimals)
  return {
    value: [`${start}${ofSupply}${value.day}`, value.windows],
    validUntilS: Math.min(validUntilS, imageUntilS),
  }
}

/** The second part, with the brace: what every block and the next day may change. */
export function tokenMoving(chain: GatewayChain, tokenId: number, nowS: number): Made<string> {
  const { reads } = chain
  const facts = reads.tokenFacts(tokenId)
  const { record, price, launch, mainPairId } = facts
  const known = chain.risk.known(record.address)
  const createdAtS = facts.createdAtS || (known?.createdAtS ?? 0)
  const mainPair = mainPairId === null ? '' : reads.pairRecord(mainPairId).address
  const mainPairTvlUsd = mainPairId === null ? null : reads.pairTvlUsd(mainPairId)
  const tvl = reads.tokenTvl(tokenId)
  // Since 00:00 UTC, from the main pair; 0 when that pair prices the other token.
  const dayChange = changePercent(reads.tokenDayOpenUsd(tokenId, nowS), price?.usd ?? null)
  const range = reads.tokenDayRange(tokenId, nowS)
  const value = tokenNowText({
    current_price_usd: decimalOrZero(price?.usd ?? null),
    current_price_eth: decimalOrZero(price?.native ?? null),
    price_change_1d: decimalOrZero(dayChange),
    token_price_24h_high: decimalOrZero(range.highUsd),
    token_price_24h_low: decimalOrZero(range.lowUsd),
    market_cap: decimalOrZero(facts.marketCapUsd),
    fdv: decimalOrZero(facts.fdvUsd),
    market_cap_known: unknownMark(facts.isSupplyKnown),
    fdv_known: unknownMark(facts.isSupplyKnown),
    tvl: decimalOrZero(tvl.usd),
    tvl_known: unknownMark(tvl.isKnown),
    main_pair: `"${mainPair}"`,
    main_pair_tvl: decimalOrZero(mainPairTvlUsd),
    main_pair_tvl_known: unknownMark(mainPairId === null || reads.isPairTvlKnown(mainPairId)),
    launch_price: decimalOrZero(facts.launchPriceUsd),
    price_ath_u: decimalOrZero(facts.athUsd),
    launch_at: `${facts.launchedAtS}`,
    launch_at_known: unknownMark(facts.launchedAtS !== 0),
    created_at: `${createdAtS}`,
    created_at_known: unknownMark(createdAtS !== 0),
    updated_at: `${facts.updatedAtS}`,
    issue_platform: launch === null ? '""' : JSON.stringify(launch.platform),
    progress: launch === null ? null : decimalOrZero(launch.filledPpm / 1_000_000),
    price_liquidity_usd: decimalOrZero(price?.routeLiquidityUsd ?? null),
    price_updated_at: `${price?.atS ?? 0}`,
    // Only what a check of the contract has found; nothing until there was one.
    risk_score: known === null ? null : `"${known.score}"`,
    is_mintable: known === null ? null : flagOf(known.isMintable),
    ui_multiplier: known?.uiMultiplier ? decimalOfRaw(known.uiMultiplier, 18) : null,
    usd_reason: tokenReason(price !== null, facts),
  })
  return { value, validUntilS: Math.min(range.changesAtS, dayEndS(nowS)) }
}

function flagOf(is: boolean | null): '0' | '1' | null {
  if (is === null) return null
  return is ? '1' : '0'
}

function supplyText(supply: Omit<TokenSupply, 'tokenId'>, decimals: number): string {
  const { holders, isComplete, total, locked, burnt, other } = supply
  const totalMark = unknownMark(isTotalKnown(supply))
  return tokenSupplyText({
    holders: `${holders}`,
    holders_complete: `${isComplete}`,
    total: decimalOfRaw(total, decimals),
    total_known: totalMark,
    lock_amount: decimalOfRaw(locked, decimals),
    burn_amount: decimalOfRaw(burnt, decimals),
    other_amount: decimalOfRaw(other, decimals),
    locked_percent: decimalOrZero(ratioOf(locked, total)),
    locked_percent_known: totalMark,
  })
}

const noSupply = supplyText(
  { holders: 0, isComplete: false, total: 0n, locked: 0n, burnt: 0n, other: 0n },
  0,
)

export function mainPairTvlUsd({ reads }: GatewayChain, mainPairId: number | null): number {
  return mainPairId === null ? 0 : finite(reads.pairTvlUsd(mainPairId))
}

/** As on the wire, where a number that is none is 0. */
export function finite(x: number): number {
  return Number.isFinite(x) ? x : 0
}
