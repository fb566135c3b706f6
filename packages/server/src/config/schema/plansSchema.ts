import { type Static, Type } from '../../lib/schema.ts'

const limitMax = 1_000_000_000_000

/** Limits of a plan's keys. A built-in plan that is given in part keeps its other values. */
export const planSchema = Type.Object({
  requests_per_s: Type.Number({
    description: 'REST requests per second, also how many at once after a pause; 0: no limit.',
    minimum: 0,
    maximum: 1_000_000,
  }),
  credits_per_period: limit('Credit units of a calendar month (UTC); 0: no limit.'),
  sockets_max: limit('Open WebSockets of one key; 0: no limit.'),
  subscriptions_max: limit('Subscribed items of one WebSocket; 0: no limit.'),
  price_ids_max: limit('Ids in one price subscribe; 0: no limit.'),
  messages_per_s: limit('Messages a second that one WebSocket may send; 0: no limit.'),
  message_bytes_max: serviceLimit(
    'Size of one message of a WebSocket; over it the socket is closed with 1009; 0: 1 MiB.',
  ),
  batch_calls_max: serviceLimit('Calls in one JSON-RPC batch; 0: 500.'),
})

function limit(description: string) {
  return Type.Integer({ description, minimum: 0, maximum: limitMax })
}

/** Optional: the limit of the whole service always applies. */
function serviceLimit(description: string) {
  return Type.Integer({ description, default: 0, minimum: 0, maximum: limitMax })
}

export type PlanConfig = Static<typeof planSchema>
