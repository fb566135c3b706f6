import type { Heartbeat, MainPairSwitch } from '@chaintape/protocol'
import type { ChaintapeError } from '../errors.ts'

/** An event of a connection or of the stream named `stream`. */
export type TapeEvent =
  | { type: 'connected' }
  /** Reconnects after `retryMs`. */
  | { type: 'disconnected'; code: number; reason: string; retryMs: number }
  /** Nothing arrived for this long, not even heartbeats: the connection counts as dead. */
  | { type: 'silent'; silentMs: number }
  | { type: 'subscribed'; stream: string }
  /** Resumed after this cursor, with nothing lost. */
  | { type: 'resumed'; stream: string; cursor: string }
  /** Items after this cursor were reverted; some may come again in other blocks. */
  | { type: 'rewound'; stream: string; cursor: string }
  /** Items between this cursor and now are lost. Null if the stream had no cursor yet. */
  | { type: 'gap'; stream: string; cursor: string | null; reason: string }
  /** The service found this reader too slow; it reconnects and resumes. */
  | { type: 'lagged'; stream: string }
  /** The consumer is slow: the stream pauses until it has caught up, and loses nothing. */
  | { type: 'paused'; stream: string; cursor: string | null }
  /** The consumer is slow: of `count` states only the newest of each are left. */
  | { type: 'conflated'; stream: string; count: number }
  /** A reorg reverted an item that was given before; only with `revisions`. */
  | { type: 'retracted'; stream: string; item: unknown }
  /** The service rejected part of the subscription. */
  | { type: 'rejected'; stream: string; param: unknown; reason: string }
  /** Part of the service is unavailable; the client retries. */
  | { type: 'waiting'; stream: string; error: ChaintapeError }
  | { type: 'heartbeat'; heartbeat: Heartbeat }
  /** Another pair now prices the token of a kline stream. */
  | { type: 'switched'; stream: string; data: MainPairSwitch }
  /** `save` of the store failed; the next cursor is saved instead. */
  | { type: 'unsaved'; stream: string; error: unknown }

export type TapeListener = (event: TapeEvent) => void
