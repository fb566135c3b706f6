import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { count, decimal, objectOf, text, timeS } from './words.ts'

/** One token of a batch of prices. */
export const priceEntrySchema: JsonSchema = objectOf(
  {
    token_id: text,
    current_price_usd: decimal,
    price_change_1d: decimal,
    price_change_24h: decimal,
    tvl: decimal,
    fdv: decimal,
    market_cap: decimal,
    tx_volume_u_24h: decimal,
    holders: count,
    updated_at: timeS,
    usd_reason: usdReasonSchema,
  },
  { optional: ['usd_reason'] },
)
