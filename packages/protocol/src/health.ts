/** Answer of GET /health/live. */
export type LiveBody = { live: true; version: string; uptime_s: number }

/** Answer of GET /health/ready: 200 when `ready`, else 503. */
export type ReadyBody = {
  ready: boolean
  /** Why it is not ready; empty when it is. */
  reasons: string[]
  /** Troubles that do not stop the service: an old head, a database that lags or is down. */
  warnings: string[]
  chains: Record<string, ChainHealth>
}

export type ChainHealth = {
  ready: boolean
  state: ChainState
  /** Newest block applied; null before the first. */
  head_block: number | null
  /** Unix seconds of that block. */
  head_time: number | null
  head_age_s: number | null
  finalized_block: number | null
  /** Newest block the chain's nodes announce. */
  tip_block: number | null
  lag_blocks: number | null
  /** Newest block in the database. */
  persisted_block: number | null
  /** Blocks applied and not yet in the database, and how many may wait before ingestion pauses. */
  queue_blocks: number
  queue_blocks_max: number
  paused_reason: string | null
  database_error: string | null
  rpc_error: string | null
}

/** starting: no block yet; backfill: reading history; live: following the head; paused: see the reason. */
export type ChainState = 'starting' | 'backfill' | 'live' | 'paused'
