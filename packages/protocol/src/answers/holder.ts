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
  avg_purchase_price: number(
    'usd',
    'Average price of what it bought; 0: it never did.',
    notNegative,
  ),
  avg_sale_price: number('usd', 'Average price of what it sold; 0: it never did.', notNegative),
  cost_cur: number('usd', 'What it paid for what it bought and still has.', notNegative),
  realized_profit: number('usd', 'Proceeds of its sales less what was paid for what it sold.'),
  unrealized_profit: number('usd', 'Worth of what it bought and still has, less `cost_cur`.'),
  total_profit: number('usd', 'Both together.'),
  realized_profit_ratio: number('fraction', 'Realised profit of what was paid.'),
  unrealized_profit_ratio: number('fraction', 'Unrealised profit of what was paid.'),
  total_profit_ratio: number('fraction', 'Total profit of what was paid.'),
  max_single_purchase_usd: number('usd', 'Its largest purchase.', notNegative),
  max_single_sold_usd: number('usd', 'Its largest sale.', notNegative),
  max_txn_usd: number('usd', 'Its largest trade.', notNegative),
  buy_amount_cur: number('tokens', 'What it bought, exact.', notNegative),
  buy_volume_cur: number('usd', 'What it paid.', notNegative),
  buy_tx_count_cur: count('Its purchases.'),
  sell_amount_cur: number('tokens', 'What it sold, exact.', notNegative),
  sell_volume_cur: number('usd', 'What it got.', notNegative),
  sell_tx_count_cur: count('Its sales.'),
  first_purchase_time: nullable(text('Its first purchase, RFC 3339; null: it never bought.', time)),
  last_txn_time: nullable(text('Its last trade, RFC 3339; null: it never traded.', time)),
  trade_first_at: timeS('Its first trade; 0: it never traded.'),
  trade_last_at: timeS('Its last trade; 0: it never traded.'),
})

const holder = {
  holder: text('Address of the holder.'),
  address: text('The same as `holder`.'),
  amount_cur: number('tokens', 'What it has, exact.', notNegative),
  balance_ratio: number('fraction', 'What it has of the supply.', { min: 0, max: 1 }),
  balance_ratio_known: unknownMark('balance_ratio'),
  balance_usd: number('usd', 'What that is worth.', notNegative),
  usd_reason: usdReason,
  main_coin_balance: number(
    'native',
    'What the address holds now; see `main_coin_balance_known`.',
    notNegative,
  ),
  main_coin_balance_known: flag(
    'False: no node said in time, and `main_coin_balance` is 0 for want of an answer.',
  ),
  kind: words(
    holderKinds,
    'What the address is; `wallet` also where no node said whether it has code.',
  ),
  is_contract: optional(flag('Whether the address has code; absent where no node said.')),
  addr_alias: text('A name for the address, or empty.'),
  ...trades,
} as const

export const tokenHolder = row('TokenHolder', 'One of the largest holders of a token.', {
  ...holder,
  remark: text('Always empty.'),
})
export type TokenHolder = TypeOf<typeof tokenHolder>

export const listedHolder = row('ListedHolder', 'The same in the other list of holders.', {
  ...holder,
  new_tags: list(text('A tag.'), 'Always empty.'),
})
export type ListedHolder = TypeOf<typeof listedHolder>
