import type { HistoryGapReason } from '@chaintape/protocol'
import type { JsonSchema } from '../operation.ts'
import { arrayOf, count, flag, objectOf, text, timeS } from './words.ts'

const countOrNull = { type: ['integer', 'null'], minimum: 0 }
const textOrNull = { type: ['string', 'null'] }

const gapReasons: readonly HistoryGapReason[] = [
  'backfill',
  'start',
  'retention',
  'pools',
  'unknown',
]

/** Of one chain. */
const chainStateProperties = {
  ready: flag,
  reason: textOrNull,
  state: { type: 'string', enum: ['catching_up', 'live', 'lagging'] },
  head_block: countOrNull,
  head_time: countOrNull,
  // Negative: its time is ahead of the clock.
  head_age_s: { type: ['integer', 'null'] },
  // -1: no block is final yet.
  finalized_block: { type: ['integer', 'null'] },
  tip_block: countOrNull,
  lag_blocks: countOrNull,
  lag_s: countOrNull,
  persisted_block: countOrNull,
  queue_blocks: count,
  queue_blocks_max: count,
  paused_reason: textOrNull,
  database_error: textOrNull,
  rpc_error: textOrNull,
  unresolved_pools: count,
  start_block: { anyOf: [count, { const: 'latest' }] },
  first_block: countOrNull,
  doubtful_blocks: count,
  newest_doubtful_block: countOrNull,
  history_complete: flag,
  history_missing: arrayOf(
    objectOf({
      reason: { type: 'string', enum: gapReasons },
      msg: text,
      from_block: countOrNull,
      to_block: countOrNull,
      before_time: countOrNull,
    }),
  ),
} satisfies Record<string, JsonSchema>

export const chainHealthSchema: JsonSchema = objectOf(chainStateProperties)

export const statusSchema: JsonSchema = objectOf({
  time: timeS,
  chains: arrayOf(
    objectOf({
      chain: text,
      ...chainStateProperties,
      head_hash: textOrNull,
      pairs: count,
      tokens: count,
      history_from: countOrNull,
      history_known: flag,
    }),
  ),
})
