import { strict as assert } from 'node:assert'
import {
  type MarketReads,
  type MarketWindow,
  type TokenState,
  windowNames,
} from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { allWindowFields, type WindowFields } from './allWindowFields.ts'
import { changePercent, decimalOrZero, ratioOf } from './wireNumber.ts'

export type TokenRow = ReturnType<typeof tokenRow>

/** A token as every list and detail shows it. */
export function tokenRow({ reads, profile }: GatewayChain, tokenId: number, nowS: number) {
  const state = reads.tokenState(tokenId)
  const windows = windowNames.map((_, i) => reads.tokenWindow(tokenId, i, nowS))
  const day = windows.at(-1)
  assert(day !== undefined, 'the longest window is 24 hours')
  const { record, price, launch } = state
  const mainPair = state.mainPairId === null ? null : reads.pairState(state.mainPairId)
  return {
    token: record.address,
    chain: profile.name,
    name: record.name,
    symbol: record.symbol,
    decimal: record.decimals,
    logo_url: '',
    current_price_usd: decimalOrZero(price?.usd ?? null),
    current_price_eth: decimalOrZero(price?.native ?? null),
    price_change_1d: decimalOrZero(dayChangePercent(reads, state)),
    price_change_24h: decimalOrZero(day.changePercent),
    tx_volume_u_24h: decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8),
    tx_count_24h: day.buyCount + day.sellCount,
    tx_amount_24h: decimalOfRaw(day.amountRaw, record.decimals),
    market_cap: decimalOrZero(state.marketCapUsd),
    fdv: decimalOrZero(state.fdvUsd),
    tvl: decimalOrZero(state.tvlUsd),
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
    token_price_24h_high: decimalOrZero(day.highUsd),
    token_price_24h_low: decimalOrZero(day.lowUsd),
    ...allWindowFields(windows, windowFields),
  }
}

function supplyFields({ record, supply }: TokenState) {
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
function dayChangePercent(reads: MarketReads, { record, price, mainPairId }: TokenState): number {
  if (mainPairId === null || price === null) return 0
  const pair = reads.pairState(mainPairId)
  return pair.targetTokenId === record.id ? changePercent(pair.dayOpenUsd, price.usd) : 0
}

function windowFields(name: string, window: MarketWindow): WindowFields {
  return {
    [`token_price_change_${name}`]: decimalOrZero(window.changePercent),
    [`token_tx_volume_usd_${name}`]: decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8),
    [`token_buy_tx_volume_usd_${name}`]: decimalOfE8(window.buyVolumeUsdE8),
    [`token_sell_tx_volume_usd_${name}`]: decimalOfE8(window.sellVolumeUsdE8),
    [`token_organic_tx_volume_usd_${name}`]: decimalOfE8(window.organicVolumeUsdE8),
    [`token_tx_count_${name}`]: window.buyCount + window.sellCount,
    [`token_buy_tx_count_${name}`]: window.buyCount,
    [`token_sell_tx_count_${name}`]: window.sellCount,
    [`token_makers_${name}`]: window.makers,
    [`token_buyers_${name}`]: window.buyers,
    [`token_sellers_${name}`]: window.sellers,
  }
}
