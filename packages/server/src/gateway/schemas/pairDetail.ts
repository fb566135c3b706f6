import { windowNames } from '../../engine/marketReads.ts'
import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { count, decimal, flag, integer, objectOf, text, timeS } from './words.ts'

const windowProperties = Object.fromEntries(
  windowNames.flatMap((name) => [
    [`price_change_${name}`, decimal],
    [`volume_u_${name}`, decimal],
    [`buy_volume_u_${name}`, decimal],
    [`sell_volume_u_${name}`, decimal],
    [`organic_volume_u_${name}`, decimal],
    [`tx_${name}_count`, count],
    [`buys_tx_${name}_count`, count],
    [`sells_tx_${name}_count`, count],
    [`makers_${name}`, count],
    [`buyers_${name}`, count],
    [`sellers_${name}`, count],
  ]),
)

/** What every row of a pair begins with. */
export const pairFields = {
  pair: text,
  chain: text,
  amm: text,
  target_token: text,
  token0_address: text,
  token0_symbol: text,
  token0_decimal: integer,
  token1_address: text,
  token1_symbol: text,
  token1_decimal: integer,
  token0_price_usd: decimal,
  token0_price_eth: decimal,
  token1_price_usd: decimal,
  token1_price_eth: decimal,
  reserve0: decimal,
  reserve1: decimal,
} as const

export const pairDetailSchema: JsonSchema = objectOf(
  {
    ...pairFields,
    init_reserve0: decimal,
    init_reserve1: decimal,
    reserve_change: decimal,
    tvl: decimal,
    market_cap: decimal,
    fdv: decimal,
    open_price: decimal,
    high_u: decimal,
    low_u: decimal,
    price_ath_u: decimal,
    price_change_1d: decimal,
    tx_amount: decimal,
    created_at: timeS,
    first_trade_at: timeS,
    first_trade_block_number: count,
    sniper_tx_count: { ...count, description: 'Swaps in the block of the first trade.' },
    lp_holders: { ...count, description: 'Holders of its shares.' },
    lp_locked_percent: {
      ...decimal,
      description: 'Fraction of its shares that is burnt or locked.',
    },
    last_trade_at: timeS,
    updated_at: timeS,
    tag: text,
    dynamic_tag: text,
    is_main_pair: flag,
    is_trusted: flag,
    usd_reason: usdReasonSchema,
    ...windowProperties,
  },
  // Until the token's contract was checked, and for pairs without shares.
  { optional: ['lp_holders', 'lp_locked_percent', 'usd_reason'] },
)
