import type { LogEntry } from './logEntry.ts'
import type { MarketEvent } from './marketEvent.ts'

/** An entry of a chain's log right after the chain's engine took it. */
export type AppliedEntry = {
  chain: string
  /** Its place in the log. */
  seq: number
  entry: LogEntry
  /** What it changed in the market. */
  events: readonly MarketEvent[]
}

/**
 * One who is told of every applied entry of a chain, in log order. Consumers of a chain stand in one list and are told in
 * its order: each may rely on those before it.
 */
export type EntryConsumer = {
  /** For logs, and for the log to know whose place it keeps. */
  name: string
  applied(applied: AppliedEntry): void
}
