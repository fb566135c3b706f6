import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { count, flag, number, objectOf, text, timeS } from './words.ts'

export const holderKinds = ['wallet', 'pool', 'burn', 'lock', 'contract', 'creator'] as const

const time = { type: ['string', 'null'], format: 'date-time' }
const usd = { ...number, minimum: 0 }

/** How the holder traded, by the swaps that are kept. */
const tradeProperties = {
  avg_purchase_price: { ...usd, description: 'USD; 0: it never bought.' },
  avg_sale_price: { ...usd, description: 'USD; 0: it never sold.' },
  cost_cur: { ...usd, description: 'What it paid for what it bought and still has.' },
  realized_profit: number,
  unrealized_profit: number,
  total_profit: number,
  realized_profit_ratio: { ...number, description: 'Fraction of what was paid.' },
  unrealized_profit_ratio: number,
  total_profit_ratio: number,
  max_single_purchase_usd: usd,
  max_single_sold_usd: usd,
  max_txn_usd: usd,
  buy_amount_cur: { ...number, minimum: 0, description: 'Whole tokens, exact.' },
  buy_volume_cur: { ...usd, description: 'USD.' },
  buy_tx_count_cur: count,
  sell_amount_cur: { ...number, minimum: 0, description: 'Whole tokens, exact.' },
  sell_volume_cur: { ...usd, description: 'USD.' },
  sell_tx_count_cur: count,
  first_purchase_time: { ...time, description: 'RFC 3339; null: it never bought.' },
  last_txn_time: { ...time, description: 'Of its last trade, RFC 3339; null: it never traded.' },
  trade_first_at: timeS,
  trade_last_at: timeS,
}

const holderProperties = {
  holder: text,
  address: { ...text, description: 'The same as `holder`.' },
  amount_cur: { ...number, minimum: 0, description: 'Whole tokens, exact.' },
  balance_ratio: { ...number, minimum: 0, maximum: 1, description: 'Fraction of the supply.' },
  balance_usd: { ...number, minimum: 0 },
  usd_reason: usdReasonSchema,
  main_coin_balance: {
    ...number,
    minimum: 0,
    description: 'Native coins the address holds now; see `main_coin_balance_known`.',
  },
  main_coin_balance_known: {
    ...flag,
    description: 'False: no node said in time, and `main_coin_balance` is 0 for want of an answer.',
  },
  kind: {
    enum: holderKinds,
    description: 'What the address is; `wallet` also where no node said whether it has code.',
  },
  is_contract: { ...flag, description: 'Absent where no node said.' },
  addr_alias: { ...text, description: 'A name for the address, or empty.' },
  ...tradeProperties,
}

const optional = ['is_contract', 'usd_reason', ...Object.keys(tradeProperties)]

/** One of the largest holders of a token. */
export const tokenHolderSchema: JsonSchema = objectOf(
  { ...holderProperties, remark: { ...text, description: 'Always empty.' } },
  { optional },
)

/** The same in the other list of holders. */
export const listedHolderSchema: JsonSchema = objectOf(
  { ...holderProperties, new_tags: { type: 'array', description: 'Always empty.' } },
  { optional },
)
