import type { JsonSchema } from '../operation.ts'
import { arrayOf, count, integer, objectOf, text, timeS } from './words.ts'

const countOrNull = { type: ['integer', 'null'], minimum: 0 }
const sum = { requests: count, failed: count, credits: count }
const perOperation = arrayOf(objectOf({ operation: text, ...sum }))

/** Null stands for no limit. */
export const usageSchema: JsonSchema = objectOf({
  key: objectOf({ id: integer, name: text, expires_at: countOrNull }),
  plan: text,
  rate_limit: objectOf({
    requests_per_s: { type: ['number', 'null'] },
    burst: countOrNull,
    remaining: countOrNull,
  }),
  credits: objectOf({ limit: countOrNull, used: count, remaining: countOrNull }),
  period: objectOf({ start: timeS, end: timeS }),
  total: objectOf(sum),
  operations: perOperation,
  days: arrayOf(objectOf({ date: text, ...sum, operations: perOperation })),
})
