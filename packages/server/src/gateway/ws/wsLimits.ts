/** What every WebSocket of this server may take, whatever its plan. */
export type WsLimits = {
  /** Open sockets of the whole server; an upgrade beyond it is answered 503. */
  socketsMax: number
  /** One incoming message, whole and inflated; over it the socket is closed with 1009. */
  messageBytesMax: number
  /** Calls in one JSON-RPC batch. */
  batchCallsMax: number
  /** What may wait for one reader; over it the reader is told that it lags and closed with 4001. */
  outboxBytesMax: number
  /** Silence after which a peer is pinged. */
  pingMs: number
  /** Time a peer has to show a sign of life after a ping. */
  pongMsMax: number
  /** Time a closing peer has to take what is left and to confirm. */
  closeMsMax: number
}

export const defaultWsLimits: WsLimits = {
  // About 11 KiB each when idle: 550 MB.
  socketsMax: 50_000,
  messageBytesMax: 1_048_576,
  // The burst every plan allows, in one message.
  batchCallsMax: 500,
  // About 4,500 swaps. Waiting pushes are shared between sockets, so many slow readers cost little more than one.
  outboxBytesMax: 4_194_304,
  // Proxies commonly cut a connection after 60 s of silence.
  pingMs: 25_000,
  pongMsMax: 20_000,
  closeMsMax: 5_000,
}
