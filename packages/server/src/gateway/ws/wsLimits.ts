import type { SubscriptionLimits } from './subscriptions/subscriptionBudget.ts'

/** What every WebSocket of this server may take, whatever its plan. */
export type WsLimits = {
  /** Open sockets of the whole server; an upgrade beyond it is answered 503. */
  socketsMax: number
  /** One incoming message, whole and inflated; over it the socket is closed with 1009. */
  messageBytesMax: number
  /** Calls in one JSON-RPC batch. */
  batchCallsMax: number
  /** What may wait for one reader; over it the reader gets `lagged` and is closed with 4001. */
  outboxBytesMax: number
  /** Refused calls and messages of one socket in a minute; over it the socket is closed with 1008. */
  refusedMessagesPerMin: number
  /** Time a reader has to read anything. */
  sendMsMax: number
  subscriptions: SubscriptionLimits
  /** Silence after which a peer is pinged. */
  pingMs: number
  /** Time a peer has to show a sign of life after a ping. */
  pongMsMax: number
  /** Time a closing peer has to take what is left and to confirm. */
  closeMsMax: number
  /** Over how long closing all sockets is spread at most when the server stops. */
  spreadMsMax: number
  /** The same when it goes on without them. */
  drainMsMax: number
}

/** Of these, what is the same for every service. */
export const fixedWsLimits = {
  messageBytesMax: 1_048_576,
  // The burst that every plan allows, in one message.
  batchCallsMax: 500,
  // About 3,000 swaps. Waiting pushes are shared between sockets, so many slow readers cost little more than one.
  outboxBytesMax: 4_194_304,
  refusedMessagesPerMin: 1_000,
  pongMsMax: 20_000,
  closeMsMax: 5_000,
  spreadMsMax: 2_000,
  drainMsMax: 10_000,
} as const satisfies Partial<WsLimits>
