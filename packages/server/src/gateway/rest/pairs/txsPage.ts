import type { SwapTxs } from '@chaintape/protocol'
import type { Clock, GatewayChain } from '../../gatewayChain.ts'
import { nowSOf } from '../../gatewayChain.ts'
import type { PageRange } from '../../history/newestRows.ts'
import { order, rowLimit } from '../../operation/inputs.ts'
import type { Answer } from '../../operation/operation.ts'
import { fromTime, timeRangeOf, toTime } from '../../operation/timeInputs.ts'

/** Inputs common to the lists of a pair's transactions. */
export const txsInputs = {
  limit: rowLimit({ description: 'Transactions at most.', default: 100, max: 300 }),
  fromTime,
  toTime,
  sort: order({
    name: 'sort',
    description: 'Order by time.',
    words: ['asc', 'desc'],
    default: 'asc',
  }),
}

type TxsPage = {
  range: PageRange
  /** True when rows are read newest first but shown oldest first. */
  isTurned: boolean
}

type TxsQuery = {
  limit: number
  fromTime: number | null
  toTime: number | null
  sort: 'asc' | 'desc'
}

export function pageOf(chain: GatewayChain, clock: Clock, query: TxsQuery): TxsPage {
  const { fromTime: from, toTime: to, sort, limit } = query
  const isTurned = sort === 'asc' && from === null
  const range = timeRangeOf(from, to, nowSOf(chain, clock))
  return { range: { ...range, limit, order: isTurned ? 'desc' : sort }, isTurned }
}

/** Builds the answer of a transaction list. Null rows mean that the pair is unknown. */
export function txsAnswer(
  chain: GatewayChain,
  address: string,
  { range, isTurned }: TxsPage,
  rows: readonly object[] | null,
): Answer {
  const txs = isTurned ? [...(rows ?? [])].reverse() : (rows ?? [])
  const json = JSON.stringify({
    txs,
    total_count: txs.length,
    to_time: range.toS,
    limit: range.limit,
    pair_id: `${address}-${chain.profile.name}`,
  } satisfies Omit<SwapTxs, 'txs'> & { txs: readonly object[] })
  return rows === null ? { json, msg: 'SUCCESS: pair not found' } : { json }
}
