/**
 * Limits of a plan, which apply to its API keys. Null: unlimited. WebSocket comments name the code
 * that enforces the limit.
 */
export type Plan = {
  name: string
  /** Size and refill per second of the token bucket that REST requests draw from. */
  requestsPerS: number | null
  /** Credit units per period (a calendar month, UTC). */
  creditsPerPeriod: number | null
  /** Open WebSockets of one key. `KeySockets` refuses further sockets. */
  socketsMax: number | null
  /** Subscribed items of one socket. `limitError` refuses further items. */
  subscriptionsMax: number | null
  /** Ids in one subscribe to prices. `limitError` refuses a longer list. */
  priceIdsMax: number | null
  /**
   * JSON-RPC messages per second on one socket, where each call of a batch counts; the burst is at
   * least `messageBurstMin`. `answerMessage` refuses further messages.
   */
  messagesPerS: number | null
  /**
   * Size of one WebSocket message; `Connection` closes the socket above it. Null: only
   * `WsLimits.messageBytesMax` applies.
   */
  messageBytesMax: number | null
  /**
   * Calls in one WebSocket batch; `answerMessage` refuses a longer batch. Null: only
   * `WsLimits.batchCallsMax` applies.
   */
  batchCallsMax: number | null
}

/**
 * Minimum burst of WebSocket messages on every plan: a client sends its whole watch list right
 * after connecting.
 */
export const messageBurstMin = 500

/** Plan of keys whose own plan is not configured any more. */
export const fallbackPlanName = 'free'

const dayMs = 86_400_000

/** Period in which credits are counted: a calendar month, UTC. */
export type CreditPeriod = {
  /** Months since year 0, so that the next period has the next number. */
  number: number
  startMs: number
  /** First millisecond after the period. */
  endMs: number
}

export function creditPeriodAt(timeMs: number): CreditPeriod {
  const time = new Date(timeMs)
  const year = time.getUTCFullYear()
  const month = time.getUTCMonth()
  const startMs = Date.UTC(year, month)
  return { number: year * 12 + month, startMs, endMs: Date.UTC(year, month + 1) }
}

/** Returns the number of a day (UTC), counted from 1970-01-01. */
export function dayAt(timeMs: number): number {
  return Math.floor(timeMs / dayMs)
}

/** Returns the first millisecond of a day (UTC). */
export function dayStartMs(day: number): number {
  return day * dayMs
}
