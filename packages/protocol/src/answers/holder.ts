import {
  allOptional,
  count,
  flag,
  list,
  nullable,
  number,
  optional,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { unknownMark, usdReason } from './shared.ts'

const holderKinds = ['wallet', 'pool', 'burn', 'lock', 'contract', 'creator'] as const

const notNegative = { min: 0 }
const time = { format: 'date-time' }

/** The holder's trades, from the kept swaps; absent if there are too many to sum up. */
const trades = allOptional({
  avg_purchase_price: number('usd', 'Average purchase price; 0: no purchases.', notNegative),
  avg_sale_price: number('usd', 'Average sale price; 0: no sales.', notNegative),
  cost_cur: number('usd', 'Cost of the tokens bought and still held.', notNegative),
  realized_profit: number('usd', 'Proceeds of the sales minus the cost of the tokens sold.'),
  unrealized_profit: number('usd', 'Value of the tokens bought and still held, minus `cost_cur`.'),
  total_profit: number('usd', 'Realized plus unrealized profit.'),
  realized_profit_ratio: number(
    'fraction',
    'Realized profit divided by the cost of all purchases.',
  ),
  unrealized_profit_ratio: number(
    'fraction',
    'Unrealized profit divided by the cost of all purchases.',
  ),
  total_profit_ratio: number('fraction', 'Total profit divided by the cost of all purchases.'),
  max_single_purchase_usd: number('usd', 'Value of the largest purchase.', notNegative),
  max_single_sold_usd: number('usd', 'Value of the largest sale.', notNegative),
  max_txn_usd: number('usd', 'Value of the largest trade.', notNegative),
  buy_amount_cur: number('tokens', 'Amount bought, exact.', notNegative),
  buy_volume_cur: number('usd', 'Value of all purchases.', notNegative),
  buy_tx_count_cur: count('Number of purchases.'),
  sell_amount_cur: number('tokens', 'Amount sold, exact.', notNegative),
  sell_volume_cur: number('usd', 'Value of all sales.', notNegative),
  sell_tx_count_cur: count('Number of sales.'),
  first_purchase_time: nullable(
    text('Time of the first purchase, RFC 3339; null: no purchases.', time),
  ),
  last_txn_time: nullable(text('Time of the last trade, RFC 3339; null: no trades.', time)),
  trade_first_at: timeS('Time of the first trade; 0: no trades.'),
  trade_last_at: timeS('Time of the last trade; 0: no trades.'),
})

const holder = {
  holder: text('Address of the holder.'),
  address: text('The same as `holder`.'),
  amount_cur: number('tokens', 'Balance, exact.', notNegative),
  balance_ratio: number('fraction', 'Share of the supply.', { min: 0, max: 1 }),
  balance_ratio_known: unknownMark('balance_ratio'),
  balance_usd: number('usd', 'Value of the balance.', notNegative),
  usd_reason: usdReason,
  main_coin_balance: number(
    'native',
    'Native coin balance of the address now; see `main_coin_balance_known`.',
    notNegative,
  ),
  main_coin_balance_known: flag(
    'False: no node answered in time, and `main_coin_balance` is 0 because it is unknown.',
  ),
  kind: words(
    holderKinds,
    'Kind of address; `wallet` also if no node reported whether it has code.',
  ),
  is_contract: optional(flag('Whether the address has code; absent if no node answered.')),
  addr_alias: text('Name of the address; empty: none.'),
  ...trades,
} as const

export const tokenHolder = row('TokenHolder', 'One of the largest holders of a token.', {
  ...holder,
  remark: text('Always empty.'),
})
export type TokenHolder = TypeOf<typeof tokenHolder>

export const listedHolder = row(
  'ListedHolder',
  'One of the largest holders of a token, as `/v2/tokens/holders` lists it.',
  {
    ...holder,
    new_tags: list(text('A tag.'), 'Always empty.'),
  },
)
export type ListedHolder = TypeOf<typeof listedHolder>
