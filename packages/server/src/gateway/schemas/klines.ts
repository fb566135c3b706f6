import type { JsonSchema } from '../operation.ts'
import { usdReasonSchema } from '../usdReason.ts'
import { arrayOf, count, decimal, objectOf, text, timeS } from './words.ts'

/** Klines with what they are of. */
export const klinesSchema: JsonSchema = objectOf(
  {
    points: arrayOf(
      objectOf({
        open: decimal,
        high: decimal,
        low: decimal,
        close: decimal,
        volume: decimal,
        time: timeS,
      }),
    ),
    total_count: count,
    to_time: timeS,
    limit: count,
    interval: { anyOf: [{ type: 'integer', minimum: 1 }, { const: 's1' }] },
    category: { type: 'string', enum: ['u', 'r', 'm'] },
    pair_id: text,
    target_token_id: text,
    pump_pair_id: text,
    usd_reason: usdReasonSchema,
  },
  // Only of tokens of a launch platform; only of untrusted pools.
  { optional: ['pump_pair_id', 'usd_reason'] },
)
