import type { Pool } from 'pg'
import type { LiquidityEvent, SwapEvent } from '../../../model/marketEvent.ts'
import { type LiquidityRow, liquidityOf, type SwapRow, swapOf } from '../history.ts'

export type StoredTrade = {
  blockNumber: number
  timeS: number
  event: SwapEvent | LiquidityEvent
}

export type TradesQuery = {
  chainId: number
  table: 'swaps' | 'liquidity'
  /** Null: all pairs. */
  pairIds: readonly number[] | null
  /** Events behind this place, exclusive; none of them is older than its time. */
  after: { number: number; index: number; timeS: number }
  /** Last block, inclusive. */
  toNumber: number
  limit: number
  order: 'asc' | 'desc'
}

/** Swaps or liquidity changes of several pairs by their place in the chain. */
export async function loadTrades(pool: Pool, query: TradesQuery): Promise<StoredTrade[]> {
  const { chainId, table, pairIds, after, toNumber, limit, order } = query
  if (pairIds?.length === 0) return []
  const { rows } = await pool.query<SwapRow | LiquidityRow>({
    name: `load-trades-${table}-${order}${pairIds === null ? '-all' : ''}`,
    text: `SELECT * FROM ${table}
           WHERE chain = $1 AND time_s >= $2 AND (block, idx) > ($3, $4) AND block <= $5
             ${pairIds === null ? '' : 'AND pair_id = ANY($7::int[])'}
           ORDER BY time_s ${order}, block ${order}, idx ${order} LIMIT $6`,
    values: [
      ...[chainId, after.timeS, after.number, after.index, toNumber, limit],
      ...(pairIds === null ? [] : [pairIds]),
    ],
  })
  return rows.map((row) => ({
    blockNumber: row.block,
    timeS: row.time_s,
    event: 'kind' in row ? liquidityOf(row) : swapOf(row),
  }))
}
