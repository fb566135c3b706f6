import type { Heartbeat, MainPairSwitch } from '@chaintape/protocol'
import type { ChaintapeError } from '../errors.ts'

/** What happened to a connection or a stream; `stream` is its name. */
export type TapeEvent =
  | { type: 'connected' }
  /** It connects again after so long. */
  | { type: 'disconnected'; code: number; reason: string; retryMs: number }
  /** Nothing came for so long, heartbeats neither: the line is taken for dead. */
  | { type: 'silent'; silentMs: number }
  | { type: 'subscribed'; stream: string }
  /** It goes on behind this place, with nothing lost. */
  | { type: 'resumed'; stream: string; cursor: string }
  /** What came behind this place was reverted, and a part of it may come again in other blocks. */
  | { type: 'rewound'; stream: string; cursor: string }
  /** What came between this place and now cannot be had any more. Null: it had no place yet. */
  | { type: 'gap'; stream: string; cursor: string | null; reason: string }
  /** The service found this reader too slow; it connects again and goes on where it was. */
  | { type: 'lagged'; stream: string }
  /** The consumer is slow: the stream pauses until it has caught up, and loses nothing. */
  | { type: 'paused'; stream: string; cursor: string | null }
  /** The consumer is slow: of so many states only the newest of each are left. */
  | { type: 'conflated'; stream: string; count: number }
  /** A reorg reverted an item that was given before; only with `revisions`. */
  | { type: 'retracted'; stream: string; item: unknown }
  /** Some of what was subscribed was refused. */
  | { type: 'rejected'; stream: string; param: unknown; reason: string }
  /** A part of the service does not answer now; it is asked again. */
  | { type: 'waiting'; stream: string; error: ChaintapeError }
  | { type: 'heartbeat'; heartbeat: Heartbeat }
  /** Another pair prices a token of a kline stream. */
  | { type: 'switched'; stream: string; data: MainPairSwitch }
  /** `save` of the store failed; it is tried again with the next place. */
  | { type: 'unsaved'; stream: string; error: unknown }

export type TapeListener = (event: TapeEvent) => void
