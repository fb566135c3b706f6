import { joinRows, recentLiquidity } from '../../history/newestRows.ts'
import { pairIdInPath, word } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { readSettled } from '../../recent/readSettled.ts'
import { liquidityKinds, liquidityTxRow } from '../../rows/liquidityTxRow.ts'
import { pageOf, txsAnswer, txsInputs } from './txsPage.ts'

/** GET /v2/txs/liq/{pair-id}: liquidity changes of a pair. */
export const liquidityTxs = defineOperation({
  id: 'liquidityTxs',
  method: 'GET',
  path: '/v2/txs/liq/{pair-id}',
  cost: 50,
  tag: 'transactions',
  summary: 'Liquidity changes of a pair',
  description: 'Pages as swaps do.',
  inputs: {
    pair: pairIdInPath,
    ...txsInputs,
    type: word({
      name: 'type',
      description: 'Only changes of this type.',
      words: ['all', 'addLiquidity', 'removeLiquidity', 'createPair', 'collectFee'],
      default: 'all',
    }),
  },
  answer: ref('LiquidityTxs'),
  async run(
    { pair: { chain, address }, type, body: _, ...query },
    { store, clock, rows: { record } },
  ) {
    const page = pageOf(chain, clock, query)
    const pairId = chain.reads.findPair(address)
    if (pairId === undefined) return txsAnswer(chain, address, page, null)
    const kind = type === 'all' ? null : liquidityKinds[type]
    const ofKind = kind === null ? {} : { kinds: [kind] }
    const chainId = chain.storeId
    const rows = await readSettled(
      chain,
      (blockMax) => store.loadLiquidity({ chainId, pairId, blockMax, ...page.range, ...ofKind }),
      (stored, blocks) => {
        if (chain.reads.findPair(address) !== pairId) return []
        const recent = recentLiquidity(
          blocks,
          ({ liquidity }) =>
            liquidity.pairId === pairId && (kind === null || liquidity.kind === kind),
        )
        return joinRows(stored, recent, page.range).map((row) => liquidityTxRow(chain, row, record))
      },
    )
    return txsAnswer(chain, address, page, rows)
  },
})
