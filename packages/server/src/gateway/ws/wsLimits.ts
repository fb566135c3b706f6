import type { SubscriptionLimits } from './subscriptions/subscriptionLimits.ts'

/**
 * Limits of the WebSocket server, whatever the plan of a key. The limits of plans are in
 * `keys/plan.ts`. Each comment names the code that enforces the limit.
 */
export type WsLimits = {
  /** Open sockets of the whole server. `upgradeRefusal` answers further upgrades with 503. */
  socketsMax: number
  /**
   * Size of one incoming message, inflated. The `ws` library closes the socket with 1009
   * (`createHandshake`).
   */
  messageBytesMax: number
  /** Calls in one JSON-RPC batch. `answerMessage` refuses a longer batch. */
  batchCallsMax: number
  /**
   * Bytes that may wait for one slow reader. `Outbox` sends `lagged` and closes the socket with
   * 4001.
   */
  outboxBytesMax: number
  /**
   * Refused calls and messages of one socket per minute. `Connection` closes the socket with 1008.
   */
  refusedMessagesPerMin: number
  /** Time in which a slow reader must read something. `Connection.tick` disconnects the client. */
  sendMsMax: number
  /** Limits on subscriptions. `subscriptions/subscriptionLimits.ts` enforces them. */
  subscriptions: SubscriptionLimits
  /** Silence after which `Connection.tick` pings a client. */
  pingMs: number
  /** Time a client has to answer a ping with anything. `Connection.tick` disconnects the client. */
  pongMsMax: number
  /**
   * Time a closing client has to take what is queued and confirm the close. `Connection.tick`
   * disconnects the client.
   */
  closeMsMax: number
  /** Maximum time over which closing all sockets is spread when the server stops (`closeAll`). */
  spreadMsMax: number
  /**
   * Maximum time over which closing all sockets is spread when the server keeps running without
   * them (`drain`).
   */
  drainMsMax: number
}

/** WebSocket limits that no config key changes. */
export const fixedWsLimits = {
  messageBytesMax: 1_048_576,
  // One batch may hold the burst of messages that every plan allows.
  batchCallsMax: 500,
  // About 3,000 swaps. Sockets share waiting pushes, so many slow readers cost little more than
  // one.
  outboxBytesMax: 4_194_304,
  refusedMessagesPerMin: 1_000,
  pongMsMax: 20_000,
  closeMsMax: 5_000,
  spreadMsMax: 2_000,
  drainMsMax: 10_000,
} as const satisfies Partial<WsLimits>
