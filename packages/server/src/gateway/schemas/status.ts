import type { JsonSchema } from '../operation.ts'
import { arrayOf, count, flag, objectOf, text, timeS } from './words.ts'

const countOrNull = { type: ['integer', 'null'] }
const textOrNull = { type: ['string', 'null'] }

export const statusSchema: JsonSchema = objectOf({
  time: timeS,
  chains: arrayOf(
    objectOf({
      chain: text,
      state: { type: 'string', enum: ['starting', 'backfill', 'live', 'paused'] },
      head_block: countOrNull,
      head_hash: textOrNull,
      head_time: countOrNull,
      head_age_s: countOrNull,
      finalized_block: countOrNull,
      tip_block: countOrNull,
      lag_blocks: countOrNull,
      persisted_block: countOrNull,
      queue_blocks: count,
      queue_blocks_max: count,
      paused_reason: textOrNull,
      database_error: textOrNull,
      rpc_error: textOrNull,
      pairs: count,
      tokens: count,
      history_from: countOrNull,
      history_known: flag,
    }),
  ),
})
