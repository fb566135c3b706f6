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
const mainTokenPrice = decimal('usd', "Price of the chain's own coin.")
const mainTokenSymbol = text("Symbol of the chain's own coin.")

/** Buys and sells of one token, from the kept swaps. */
const trades = {
  total_purchase: count('Purchases.'),
  total_purchase_amount: decimal('tokens', 'What was bought.'),
  total_purchase_usd: decimal('usd', 'What was paid for it.'),
  average_purchase_price_usd: decimal('usd', 'Average price of the purchases.'),
  total_sold: count('Sales.'),
  total_sold_amount: decimal('tokens', 'What was sold.'),
  total_sold_usd: decimal('usd', 'What was got for it.'),
  average_sold_price_usd: decimal('usd', 'Average price of the sales.'),
  uncovered_sold_amount: decimal('tokens', 'What was sold beyond what was bought.'),
} as const

const profits = {
  realized_profit: decimal('usd', 'Proceeds of the sales less the cost of what was sold.'),
  unrealized_profit: decimal('usd', 'Worth of what was bought and is still held, less its cost.'),
  total_profit: decimal('usd', 'Both together.'),
  total_profit_ratio: decimal('fraction', 'Total profit of what was paid.'),
} as const

export const walletPnl = row('WalletPnl', 'What a wallet made of one token, by average cost.', {
  account_address: text('The wallet.'),
  token_address: text('The token.'),
  chain,
  symbol,
  ...trades,
  total_purchased_usd: decimal('usd', 'The same as `total_purchase_usd`.'),
  max_single_purchase_usd: decimal('usd', 'The largest purchase.'),
  max_single_sold_usd: decimal('usd', 'The largest sale.'),
  first_purchase_time: timeText('First purchase.'),
  last_purchase_time: timeText('Last purchase.'),
  first_sold_time: timeText('First sale.'),
  last_sold_time: timeText('Last sale.'),
  profit_realized: profits.realized_profit,
  held_amount: decimal('tokens', 'What is held of the purchases.'),
  held_cost_usd: decimal('usd', 'What was paid for that.'),
  since,
})
export type WalletPnl = TypeOf<typeof walletPnl>

export const walletToken = row('WalletToken', 'A token that a wallet traded.', {
  token_id: text('The token, `<address>-<chain>`: what other operations and topics take.'),
  token: text('Address of the token.'),
  chain,
  symbol,
  logo_url: text(
    'Where a logo may be, by the `logo_url` of the chain in the config; nobody looks whether there is one. Empty: not known.',
  ),
  risk_level: optional(
    words(
      [-1, 0, 1],
      '-1: a honeypot or a high score, 1: a listed quote asset, 0: any other; absent until its contract was checked.',
    ),
  ),
  risk_score: optional(decimal('points', 'Score of its contract; absent until that was checked.')),
  last_txn_time: timeText('Last trade.'),
  ...profits,
  ...trades,
  balance_amount: decimal('tokens', 'What the wallet has of it.'),
  balance_usd: decimal('usd', 'What that is worth.'),
  usd_reason: usdReason,
  main_token_price: mainTokenPrice,
  main_token_symbol: mainTokenSymbol,
  current_price_usd: decimal('usd', 'Price of one token.'),
})
export type WalletToken = TypeOf<typeof walletToken>

const totalBalance = decimal(
  'usd',
  "Worth of the tokens that the wallet traded and of the chain's own coin.",
)

export const walletInfo = row('WalletInfo', 'A wallet at a glance.', {
  wallet_address: text('The wallet.'),
  total_balance: totalBalance,
  total_win_ratio: decimal(
    'fraction',
    'Tokens that were sold with a profit, of those sold at a known cost.',
  ),
  ...profits,
  total_purchase: trades.total_purchase,
  total_purchase_usd: trades.total_purchase_usd,
  total_sold: trades.total_sold,
  total_sold_usd: trades.total_sold_usd,
  main_token_price: mainTokenPrice,
  main_token_symbol: mainTokenSymbol,
  main_token_balance: optional(
    decimal('native', 'What the wallet has now; absent where no node said in time.'),
  ),
  wallet_age: timeS('Its first trade that is kept; 0: there is none.'),
  wallet_chain_info: list(
    object(
      part('The wallet on one chain.', {
        chain,
        total_balance: totalBalance,
        total_profit: profits.total_profit,
        token_count: count('Tokens that it traded.'),
      }),
    ),
    'By chain.',
  ),
  since,
})
export type WalletInfo = TypeOf<typeof walletInfo>

const tokensBetween = (range: string) =>
  count(`Tokens whose sales made ${range} percent of their cost.`)

export const smartWallet = row('SmartWallet', 'A wallet with a large realised profit.', {
  wallet_address: text('The wallet.'),
  chain,
  tag: text('Always empty.'),
  tag_items: list(text('A tag.'), 'Always empty.'),
  extra_info: text('Always empty.'),
  remark: text('Always empty.'),
  total_trades: count('Purchases and sales.'),
  buy_trades: count('Purchases.'),
  sell_trades: count('Sales.'),
  token_profit_rate: decimal('fraction', 'Tokens that were sold with a profit, of all sold.'),
  total_profit: decimal('usd', 'Realised profit.'),
  total_profit_rate: decimal('fraction', 'Realised profit of the cost of what was sold.'),
  total_volume: decimal('usd', 'What was bought and sold.'),
  total_purchase: decimal('usd', 'What was bought.'),
  total_sold: decimal('usd', 'What was sold.'),
  profit_above_900_percent_num: tokensBetween('over 900'),
  profit_500_900_percent_num: tokensBetween('500 to 900'),
  profit_300_500_percent_num: tokensBetween('300 to 500'),
  profit_300_900_percent_num: tokensBetween('300 to 900'),
  profit_100_300_percent_num: tokensBetween('100 to 300'),
  profit_10_100_percent_num: tokensBetween('10 to 100'),
  profit_neg10_10_percent_num: tokensBetween('-10 to 10'),
  profit_neg50_neg10_percent_num: tokensBetween('-50 to -10'),
  profit_neg100_neg50_percent_num: tokensBetween('-100 to -50'),
  last_trade_time: timeS('Its last trade.'),
  since: timeS('First second that the ranking looks at.'),
  updated_at: timeS('When the ranking was made.'),
})
export type SmartWallet = TypeOf<typeof smartWallet>
