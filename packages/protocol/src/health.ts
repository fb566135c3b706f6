/** Answer of GET /health/live. */
export type LiveBody = { live: true; version: string; uptime_s: number }

/** Answer of GET /health/ready: 200 when `ready`, else 503. Of all chains: each was ready once; of one: it is ready now. */
export type ReadyBody = {
  ready: boolean
  /** Why it is not ready; empty when it is. */
  reasons: string[]
  /** Troubles that do not stop the service: a chain that lags, an old head, a database that lags or is down. */
  warnings: string[]
  chains: Record<string, ChainHealth>
}

export type ChainHealth = {
  /** It is at the newest block, or close behind it (`limits.ready_lag_s`, `limits.ready_lag_blocks`). */
  ready: boolean
  /** Why it is not ready; null when it is. */
  reason: string | null
  state: ChainState
  /** Newest block applied; null before the first. */
  head_block: number | null
  /** Unix seconds of that block. */
  head_time: number | null
  /** Negative: its time is ahead of the clock. */
  head_age_s: number | null
  finalized_block: number | null
  /** Newest block the chain's nodes announce. */
  tip_block: number | null
  lag_blocks: number | null
  /** Seconds of block time between the newest block applied and the newest announced. */
  lag_s: number | null
  /** Newest block in the database. */
  persisted_block: number | null
  /** Blocks applied and not yet in the database, and how many may wait before ingestion pauses. */
  queue_blocks: number
  queue_blocks_max: number
  paused_reason: string | null
  database_error: string | null
  rpc_error: string | null
  /** Contracts of which no node says whether they are pools, and pools of which trades were left out. */
  unresolved_pools: number
  /** Where history shall begin, as configured. */
  start_block: number | 'latest'
  /** First block that is stored; null when there is none, or when it was stored before this was noted. */
  first_block: number | null
  /** Stored blocks whose logs seem wrong and that nothing could prove, and the newest of them. */
  doubtful_blocks: number
  newest_doubtful_block: number | null
  /** Every swap from `start_block` (`latest`: from `first_block`) up to the newest block is here. */
  history_complete: boolean
  /** What is missing of that; empty when it is complete. */
  history_missing: HistoryGap[]
}

/**
 * backfill: blocks up to `to_block` are still being read (null: no node has told of the newest one). start: blocks before
 * what is stored are wanted. retention: swaps before `before_time` are not kept. pools: `unresolved_pools` of these blocks.
 * unknown: nobody noted the first block.
 */
export type HistoryGapReason = 'backfill' | 'start' | 'retention' | 'pools' | 'unknown'

export type HistoryGap = {
  reason: HistoryGapReason
  /** A sentence. */
  msg: string
  from_block: number | null
  to_block: number | null
  /** Unix seconds. */
  before_time: number | null
}

/** catching_up: not ready yet since the start; live: ready; lagging: it was ready and is behind now, see the reason. */
export type ChainState = 'catching_up' | 'live' | 'lagging'
