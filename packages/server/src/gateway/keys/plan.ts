/** What a key of this plan may do. Null: no limit. */
export type Plan = {
  name: string
  /** Size and refill of the token bucket that REST requests draw from. */
  requestsPerS: number | null
  /** Credit units of one period (a calendar month, UTC). */
  creditsPerPeriod: number | null
  /** Open WebSockets of one key. */
  socketsMax: number | null
  /** Subscribed items of one socket. */
  subscriptionsMax: number | null
  /** Ids in one price subscribe. */
  priceIdsMax: number | null
  /** JSON-RPC messages of one socket, each call of a batch being one; the burst is at least `messageBurstMin`. */
  messagesPerS: number | null
  /** Size of one message; over it the socket is closed. Null: the service's own limit. */
  messageBytesMax: number | null
  /** Calls in one batch. Null: the service's own limit. */
  batchCallsMax: number | null
}

/** Right after connecting a client sends its whole watch list, on every plan. */
export const messageBurstMin = 500

/** What a key may do whose plan is not configured any more. */
export const fallbackPlanName = 'free'
