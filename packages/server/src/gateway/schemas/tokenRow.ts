import { windowNames } from '../../engine/marketReads.ts'
import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { count, decimal, flag, integer, objectOf, text, timeS } from './words.ts'

const windowProperties = Object.fromEntries(
  windowNames.flatMap((name) => [
    [`token_price_change_${name}`, decimal],
    [`token_tx_volume_usd_${name}`, decimal],
    [`token_buy_tx_volume_usd_${name}`, decimal],
    [`token_sell_tx_volume_usd_${name}`, decimal],
    [`token_organic_tx_volume_usd_${name}`, decimal],
    [`token_tx_count_${name}`, count],
    [`token_buy_tx_count_${name}`, count],
    [`token_sell_tx_count_${name}`, count],
    [`token_makers_${name}`, count],
    [`token_buyers_${name}`, count],
    [`token_sellers_${name}`, count],
  ]),
)

/** A token as every list and detail shows it. */
export const tokenRowSchema: JsonSchema = objectOf(
  {
    token: text,
    chain: text,
    name: text,
    symbol: text,
    decimal: integer,
    logo_url: text,
    current_price_usd: decimal,
    current_price_eth: decimal,
    price_change_1h: decimal,
    price_change_1d: decimal,
    price_change_24h: decimal,
    tx_volume_u_24h: decimal,
    tx_count_24h: count,
    tx_amount_24h: decimal,
    market_cap: decimal,
    fdv: decimal,
    tvl: decimal,
    main_pair: text,
    main_pair_tvl: decimal,
    holders: count,
    holders_complete: flag,
    total: decimal,
    lock_amount: decimal,
    burn_amount: decimal,
    other_amount: decimal,
    locked_percent: decimal,
    launch_price: decimal,
    launch_at: timeS,
    created_at: timeS,
    updated_at: timeS,
    issue_platform: text,
    price_liquidity_usd: decimal,
    price_updated_at: timeS,
    token_price_24h_high: decimal,
    token_price_24h_low: decimal,
    risk_score: text,
    is_mintable: text,
    usd_reason: usdReasonSchema,
    ...windowProperties,
  },
  // Only known once the contract has been checked.
  { optional: ['risk_score', 'is_mintable', 'usd_reason'] },
)

/** The same row; these are what the interface promises of a main token. */
export const mainTokenSchema = tokenRowSchema
