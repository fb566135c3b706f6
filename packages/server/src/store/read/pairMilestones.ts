import type { Pool } from 'pg'
import type { BlockRef } from '../../model/block.ts'
import type { PairMilestone } from '../../model/pairMilestones.ts'
import { milestonesOfCodes } from '../write/rows/milestoneCodes.ts'
import { type RefRow, refColumns, refOf } from './log.ts'

export type PairMilestonesQuery = {
  chainId: number
  /** First block; no later one is older than its time. */
  from: { number: number; timeS: number }
  /** Excludes the first block. */
  isExclusive: boolean
  /** Last block, inclusive. */
  toNumber: number
  /** Blocks read. */
  limit: number
  order: 'asc' | 'desc'
}

type BlockNews = { ref: BlockRef; news: readonly PairMilestone[] }

/** `reached` is the last complete block if there may be more after it. */
type NewsPage = { blocks: BlockNews[]; reached: BlockRef | null }

type NewsRow = RefRow & { news: number[] }

/** Created and graduated pairs by block, without reverted blocks. */
export async function loadPairMilestones(
  pool: Pool,
  query: PairMilestonesQuery,
): Promise<NewsPage> {
  const { chainId, from, isExclusive, toNumber, limit, order } = query
  // The subquery stays one lookup by number: as a join it could become a scan of the whole log.
  const { rows } = await pool.query<NewsRow>({
    name: `load-news-${order}`,
    text: `SELECT news, ${refColumns} FROM log c
           WHERE chain = $1 AND time_s >= $2 AND number >= $3 AND (number > $3 OR NOT $6)
             AND number <= $4
             AND type = 'commit' AND news <> '{}'
             AND 0 = (SELECT count(*) FROM log r
                      WHERE r.chain = $1 AND r.number = c.number AND r.seq > c.seq AND r.type = 'revert')
           ORDER BY number ${order} LIMIT $5`,
    values: [chainId, from.timeS, from.number, toNumber, limit, isExclusive],
  })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    blocks: rows.map((row) => ({ ref: refOf(row), news: milestonesOfCodes(row.news) })),
    reached: last === undefined ? null : refOf(last),
  }
}
