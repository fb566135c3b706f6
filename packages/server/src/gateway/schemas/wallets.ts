import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { arrayOf, count, decimal, objectOf, text, timeS } from './words.ts'

/** RFC 3339; `0001-01-01T00:00:00Z`: never. */
const time = { type: 'string', format: 'date-time' }

const tradeProperties = {
  total_purchase: count,
  total_purchase_amount: decimal,
  total_purchase_usd: decimal,
  average_purchase_price_usd: decimal,
  total_sold: count,
  total_sold_amount: decimal,
  total_sold_usd: decimal,
  average_sold_price_usd: decimal,
  uncovered_sold_amount: decimal,
}

const profitProperties = {
  realized_profit: decimal,
  unrealized_profit: decimal,
  total_profit: decimal,
  total_profit_ratio: decimal,
}

export const walletPnlSchema: JsonSchema = objectOf({
  account_address: text,
  token_address: text,
  chain: text,
  symbol: text,
  ...tradeProperties,
  total_purchased_usd: decimal,
  max_single_purchase_usd: decimal,
  max_single_sold_usd: decimal,
  first_purchase_time: time,
  last_purchase_time: time,
  first_sold_time: time,
  last_sold_time: time,
  profit_realized: decimal,
  held_amount: decimal,
  held_cost_usd: decimal,
  since: timeS,
})

export const walletTokenSchema: JsonSchema = objectOf(
  {
    token: text,
    chain: text,
    symbol: text,
    logo_url: text,
    risk_level: { type: 'integer', enum: [-1, 0, 1] },
    risk_score: decimal,
    last_txn_time: time,
    ...profitProperties,
    ...tradeProperties,
    balance_amount: decimal,
    balance_usd: decimal,
    usd_reason: usdReasonSchema,
    main_token_price: decimal,
    main_token_symbol: text,
    current_price_usd: decimal,
  },
  // Until the contract was checked.
  { optional: ['risk_level', 'risk_score', 'usd_reason'] },
)

export const walletInfoSchema: JsonSchema = objectOf(
  {
    wallet_address: text,
    total_balance: decimal,
    total_win_ratio: decimal,
    ...profitProperties,
    total_purchase: count,
    total_purchase_usd: decimal,
    total_sold: count,
    total_sold_usd: decimal,
    main_token_price: decimal,
    main_token_symbol: text,
    main_token_balance: decimal,
    wallet_age: timeS,
    wallet_chain_info: arrayOf(
      objectOf({
        chain: text,
        total_balance: decimal,
        total_profit: decimal,
        token_count: count,
      }),
    ),
    since: timeS,
  },
  // Only the chain's nodes know it.
  { optional: ['main_token_balance'] },
)

export const smartWalletSchema: JsonSchema = objectOf({
  wallet_address: text,
  chain: text,
  tag: text,
  tag_items: arrayOf(text),
  extra_info: text,
  remark: text,
  total_trades: count,
  buy_trades: count,
  sell_trades: count,
  token_profit_rate: decimal,
  total_profit: decimal,
  total_profit_rate: decimal,
  total_volume: decimal,
  total_purchase: decimal,
  total_sold: decimal,
  profit_above_900_percent_num: count,
  profit_500_900_percent_num: count,
  profit_300_500_percent_num: count,
  profit_300_900_percent_num: count,
  profit_100_300_percent_num: count,
  profit_10_100_percent_num: count,
  profit_neg10_10_percent_num: count,
  profit_neg50_neg10_percent_num: count,
  profit_neg100_neg50_percent_num: count,
  last_trade_time: timeS,
  since: timeS,
  updated_at: timeS,
})
