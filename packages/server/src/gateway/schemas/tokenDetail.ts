import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { pairFields } from './pairDetail.ts'
import { arrayOf, count, decimal, flag, objectOf, orEmpty, ref, text, timeS } from './words.ts'

/** A pair beside its token. */
export const tokenPairSchema: JsonSchema = objectOf(
  {
    ...pairFields,
    tvl: { ...decimal, description: '0 for a pool that no known factory confirms.' },
    price_change: { ...decimal, description: 'Percent since 00:00 UTC.' },
    price_change_1d: decimal,
    price_change_1h: decimal,
    price_change_24h: decimal,
    volume_u: { ...decimal, description: 'USD traded in 24 hours.' },
    tx_amount: { ...decimal, description: 'Target tokens traded in 24 hours.' },
    tx_count: { ...count, description: 'Swaps in 24 hours.' },
    high_u: decimal,
    low_u: decimal,
    market_cap: decimal,
    fdv: decimal,
    fee: {
      type: 'string',
      description: 'Fraction of a swap that the pool takes; empty: not known.',
    },
    total_supply: { type: 'string', description: 'Of the pool shares; empty: not known.' },
    is_fake: { ...flag, description: 'No known factory confirms the pool.' },
    is_main_pair: flag,
    created_at: timeS,
    updated_at: timeS,
    usd_reason: usdReasonSchema,
  },
  // Only of untrusted pools.
  { optional: ['usd_reason'] },
)

/** The envelope is part of this answer in every mode. */
export const tokenDetailSchema: JsonSchema = objectOf({
  status: { const: 1 },
  msg: text,
  data_type: { const: 1 },
  data: objectOf({
    is_audited: flag,
    token: orEmpty(ref('TokenRow')),
    pairs: { ...arrayOf(ref('TokenPair')), maxItems: 5 },
  }),
})
