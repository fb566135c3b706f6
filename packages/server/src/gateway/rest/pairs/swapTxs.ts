import type { StoredSwap } from '../../../store/read/history.ts'
import { readPairSwaps } from '../../history/pairSwaps.ts'
import { pairIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { swapTxRow } from '../../rows/swapTxRow.ts'
import { pageOf, txsAnswer, txsInputs } from './txsPage.ts'

/** Creates the operation for swaps of a pair, which existing clients use under two paths. */
function swapTxsOn(path: string, id: string, aliasOf?: string) {
  return defineOperation({
    id,
    ...(aliasOf === undefined ? {} : { aliasOf }),
    method: 'GET',
    path,
    cost: 50,
    tag: 'transactions',
    summary: 'Swaps of a pair',
    description:
      'By time. With `sort=asc` and `from_time` the oldest `limit` of the range are given, so that the next page starts where this one ends; otherwise the newest.',
    inputs: { pair: pairIdInPath, ...txsInputs },
    answer: ref('SwapTxs'),
    async run({ pair: { chain, address }, body: _, ...query }, { store, clock, rows: { record } }) {
      const page = pageOf(chain, clock, query)
      const toRow = (swap: StoredSwap) => swapTxRow(chain, swap, record)
      const rows = await readPairSwaps(store, { chain, address, range: page.range, toRow })
      return txsAnswer(chain, address, page, rows)
    },
  })
}

export const swapTxs = swapTxsOn('/v2/txs/swap/{pair-id}', 'swapTxs')
export const pairTxs = swapTxsOn('/v2/txs/{pair-id}', 'pairTxs', 'swapTxs')
