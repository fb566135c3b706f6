import {
  count,
  decimal,
  list,
  object,
  optional,
  part,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { chain, since, timeText, usdReason } from './shared.ts'

const symbol = text('Symbol of the token.')
const mainTokenPrice = decimal('usd', 'Price of the native coin.')
const mainTokenSymbol = text('Symbol of the native coin.')

/** Buys and sells of one token, from the kept swaps. */
const trades = {
  total_purchase: count('Purchases.'),
  total_purchase_amount: decimal('tokens', 'Amount bought.'),
  total_purchase_usd: decimal('usd', 'Value of the purchases.'),
  average_purchase_price_usd: decimal('usd', 'Average price of the purchases.'),
  total_sold: count('Sales.'),
  total_sold_amount: decimal('tokens', 'Amount sold.'),
  total_sold_usd: decimal('usd', 'Value of the sales.'),
  average_sold_price_usd: decimal('usd', 'Average price of the sales.'),
  uncovered_sold_amount: decimal('tokens', 'Amount sold beyond the amount bought.'),
} as const

const profits = {
  realized_profit: decimal('usd', 'Proceeds of the sales minus the cost of the tokens sold.'),
  unrealized_profit: decimal('usd', 'Value of the tokens bought and still held, minus their cost.'),
  total_profit: decimal('usd', 'Realized plus unrealized profit.'),
  total_profit_ratio: decimal('fraction', 'Total profit divided by the cost of all purchases.'),
} as const

export const walletPnl = row(
  'WalletPnl',
  'Profit and loss of a wallet in one token, by average cost.',
  {
    account_address: text('The wallet.'),
    token_address: text('The token.'),
    chain,
    symbol,
    ...trades,
    total_purchased_usd: decimal('usd', 'The same as `total_purchase_usd`.'),
    max_single_purchase_usd: decimal('usd', 'Value of the largest purchase.'),
    max_single_sold_usd: decimal('usd', 'Value of the largest sale.'),
    first_purchase_time: timeText('Time of the first purchase.'),
    last_purchase_time: timeText('Time of the last purchase.'),
    first_sold_time: timeText('Time of the first sale.'),
    last_sold_time: timeText('Time of the last sale.'),
    profit_realized: profits.realized_profit,
    held_amount: decimal('tokens', 'Amount bought and still held.'),
    held_cost_usd: decimal('usd', 'Cost of the held amount.'),
    since,
  },
)
export type WalletPnl = TypeOf<typeof walletPnl>

export const walletToken = row('WalletToken', 'A token traded by a wallet.', {
  token_id: text('The token, `<address>-<chain>`, as other operations and topics take it.'),
  token: text('Address of the token.'),
  chain,
  symbol,
  logo_url: text(
    'URL of a logo, from `logo_url` of the chain in the config. Chaintape does not check that it exists. Empty: unknown.',
  ),
  risk_level: optional(
    words(
      [-1, 0, 1],
      '-1: honeypot or high score, 1: listed quote asset, 0: all others; absent until the contract is checked.',
    ),
  ),
  risk_score: optional(
    decimal('points', 'Risk score of the contract; absent until it is checked.'),
  ),
  last_txn_time: timeText('Time of the last trade.'),
  ...profits,
  ...trades,
  balance_amount: decimal('tokens', 'Balance of the wallet.'),
  balance_usd: decimal('usd', 'Value of the balance.'),
  usd_reason: usdReason,
  main_token_price: mainTokenPrice,
  main_token_symbol: mainTokenSymbol,
  current_price_usd: decimal('usd', 'Price of the token.'),
})
export type WalletToken = TypeOf<typeof walletToken>

const totalBalance = decimal('usd', 'Value of the tokens the wallet traded and of its native coin.')

export const walletInfo = row('WalletInfo', 'Summary of a wallet.', {
  wallet_address: text('The wallet.'),
  total_balance: totalBalance,
  total_win_ratio: decimal(
    'fraction',
    'Share of the tokens sold at a known cost that were sold at a profit.',
  ),
  ...profits,
  total_purchase: trades.total_purchase,
  total_purchase_usd: trades.total_purchase_usd,
  total_sold: trades.total_sold,
  total_sold_usd: trades.total_sold_usd,
  main_token_price: mainTokenPrice,
  main_token_symbol: mainTokenSymbol,
  main_token_balance: optional(
    decimal('native', 'Native coin balance now; absent if no node answered in time.'),
  ),
  wallet_age: timeS('Time of the first stored trade; 0: none.'),
  wallet_chain_info: list(
    object(
      part('The wallet on one chain.', {
        chain,
        total_balance: totalBalance,
        total_profit: profits.total_profit,
        token_count: count('Number of tokens traded.'),
      }),
    ),
    'Per chain.',
  ),
  since,
})
export type WalletInfo = TypeOf<typeof walletInfo>

const tokensBetween = (range: string) =>
  count(`Number of tokens sold at a profit of ${range} percent of their cost.`)

export const smartWallet = row('SmartWallet', 'A wallet with a large realized profit.', {
  wallet_address: text('The wallet.'),
  chain,
  tag: text('Always empty.'),
  tag_items: list(text('A tag.'), 'Always empty.'),
  extra_info: text('Always empty.'),
  remark: text('Always empty.'),
  total_trades: count('Number of purchases and sales.'),
  buy_trades: count('Purchases.'),
  sell_trades: count('Sales.'),
  token_profit_rate: decimal('fraction', 'Share of the tokens sold that were sold at a profit.'),
  total_profit: decimal('usd', 'Realized profit.'),
  total_profit_rate: decimal('fraction', 'Realized profit divided by the cost of the tokens sold.'),
  total_volume: decimal('usd', 'Value of purchases and sales.'),
  total_purchase: decimal('usd', 'Value of purchases.'),
  total_sold: decimal('usd', 'Value of sales.'),
  profit_above_900_percent_num: tokensBetween('over 900'),
  profit_500_900_percent_num: tokensBetween('500 to 900'),
  profit_300_500_percent_num: tokensBetween('300 to 500'),
  profit_300_900_percent_num: tokensBetween('300 to 900'),
  profit_100_300_percent_num: tokensBetween('100 to 300'),
  profit_10_100_percent_num: tokensBetween('10 to 100'),
  profit_neg10_10_percent_num: tokensBetween('-10 to 10'),
  profit_neg50_neg10_percent_num: tokensBetween('-50 to -10'),
  profit_neg100_neg50_percent_num: tokensBetween('-100 to -50'),
  last_trade_time: timeS('Time of its last trade.'),
  since: timeS('First second of the ranked period.'),
  updated_at: timeS('Time the ranking was computed.'),
})
export type SmartWallet = TypeOf<typeof smartWallet>
