import { tokenWindowFields } from '@chaintape/protocol/descriptions'
import { decimalOfRaw } from '../../lib/decimal.ts'
import { logoUrlOf } from '../../model/chainProfile.ts'
import { isTotalSupplyKnown, type TokenSupply } from '../../model/token.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { tokenDayText, tokenNamesText, tokenNowText, tokenSupplyText } from '../ground/rowTexts.ts'
import {
  createWindowEncoder,
  type DaySummary,
  dayEndS,
  type Expiring,
  encodeRowWindows,
  windowEncoders,
} from './rowWindows.ts'
import { tokenUsdReason } from './usdReason.ts'
import { changePercent, decimalOrZero, ratioOf, unknownMark } from './wireNumber.ts'

const windowText = createWindowEncoder(tokenWindowFields, {
  'token_price_change_*': windowEncoders.priceChange,
  'token_tx_volume_usd_*': windowEncoders.volume,
  'token_buy_tx_volume_usd_*': windowEncoders.buyVolume,
  'token_sell_tx_volume_usd_*': windowEncoders.sellVolume,
  'token_organic_tx_volume_usd_*': windowEncoders.organicVolume,
  'token_tx_count_*': windowEncoders.count,
  'token_buy_tx_count_*': windowEncoders.buyCount,
  'token_sell_tx_count_*': windowEncoders.sellCount,
  'token_makers_*': windowEncoders.makers,
  'token_buyers_*': windowEncoders.buyers,
  'token_sellers_*': windowEncoders.sellers,
})

// A row without an image is reused for this long before the image is looked up again.
const imageWaitS = 10

/** Encodes the summary of the last hour and day. */
function dayText(day: DaySummary): string {
  return tokenDayText({
    price_change_1h: day.hourChange,
    price_change_24h: day.change,
    tx_volume_u_24h: day.volume,
    tx_count_24h: `${day.count}`,
    tx_amount_24h: day.amount,
  })
}

/**
 * Makes the lasting part of a token's row: names, supply and windows. Every list and token detail
 * use the same row.
 */
export function tokenRowLastingPart(
  chain: GatewayChain,
  tokenId: number,
  nowS: number,
): Expiring<string[]> {
  const { reads, profile } = chain
  const { address, name, symbol, decimals } = reads.tokenRecord(tokenId)
  const read = (window: number) => reads.tokenWindow(tokenId, window, nowS)
  const { value, validUntilS } = encodeRowWindows(read, decimals, dayText, windowText)
  const image = chain.images?.of(address)
  // A row without an image expires by time, because the market has no event for a found image.
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

/**
 * Makes the moving part of a token's row, with the closing brace. Any block, and the next day, may
 * change it.
 */
export function tokenRowMovingPart(
  chain: GatewayChain,
  tokenId: number,
  nowS: number,
): Expiring<string> {
  const { reads } = chain
  const facts = reads.tokenFacts(tokenId)
  const { record, price, launch, mainPairId } = facts
  const known = chain.risk.known(record.address)
  const createdAtS = facts.createdAtS || (known?.createdAtS ?? 0)
  const mainPair = mainPairId === null ? '' : reads.pairRecord(mainPairId).address
  const mainPairTvlUsd = mainPairId === null ? null : reads.pairTvlUsd(mainPairId)
  const tvl = reads.tokenTvl(tokenId)
  // `price_change_1d` is the change since 00:00 UTC on the main pair; 0 when the main pair prices
  // the other token.
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
    // The following fields come from a risk check and are absent until the contract was checked.
    risk_score: known === null ? null : `"${known.score}"`,
    is_mintable: known === null ? null : flagOf(known.isMintable),
    ui_multiplier: known?.uiMultiplier ? decimalOfRaw(known.uiMultiplier, 18) : null,
    usd_reason: tokenUsdReason(price !== null, facts),
  })
  return { value, validUntilS: Math.min(range.changesAtS, dayEndS(nowS)) }
}

function flagOf(is: boolean | null): '0' | '1' | null {
  if (is === null) return null
  return is ? '1' : '0'
}

function supplyText(supply: Omit<TokenSupply, 'tokenId'>, decimals: number): string {
  const { holders, isComplete, total, locked, burnt, other } = supply
  const totalMark = unknownMark(isTotalSupplyKnown(supply))
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
  return mainPairId === null ? 0 : finiteOrZero(reads.pairTvlUsd(mainPairId))
}

/** Returns 0 for infinite and NaN, as on the wire. */
export function finiteOrZero(x: number): number {
  return Number.isFinite(x) ? x : 0
}
