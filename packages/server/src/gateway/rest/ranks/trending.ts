import { componentRef } from '../../ground/schemas.ts'
import { runInSlices } from '../../ground/steps.ts'
import { integerInput, requiredChainInput, rowLimitInput } from '../../inputs/inputs.ts'
import { defineOperation } from '../operation.ts'
import { encodeOrderedTokens } from '../tokens/tokenList.ts'

const pageSizeMax = 100
const lastPage = -1
const asGiven = () => 0

/** GET /v2/tokens/trending: a chain's tokens by trending score, in pages. */
export const trending = defineOperation({
  id: 'trending',
  method: 'GET',
  path: '/v2/tokens/trending',
  cost: 5,
  tag: 'tokens',
  summary: 'Trending tokens of a chain',
  description:
    'Best score first. The score grows with organic volume, distinct traders, price change and youth over 24 hours. ' +
    'Wash trading of one wallet does not raise it. `next_page` is -1 on the last page and beyond.',
  inputs: {
    chain: requiredChainInput,
    page: integerInput({
      name: 'current_page',
      description: 'Page number, from 0.',
      default: 0,
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }),
    pageSize: rowLimitInput({
      name: 'page_size',
      description: 'Rows per page.',
      default: 50,
      max: pageSizeMax,
    }),
  },
  hasEtag: true,
  answer: componentRef('TrendingPage'),
  async run({ chain, page, pageSize }, { rows, scheduler, screener }) {
    const order = screener.trending(chain)
    await order.whenReady(scheduler)
    const json = await runInSlices(scheduler, [chain], async (pause) => {
      const all = order.ids()
      const total = all.length
      const from = page * pageSize
      const ids = all.slice(from, from + pageSize)
      const nextPage = ids.length > 0 && from + ids.length < total ? page + 1 : lastPage
      const refs = ids.map((tokenId) => ({ chain, tokenId }))
      const before = `{"current_page_size":${ids.length},"next_page":${nextPage},"total":${total},"tokens":`
      return encodeOrderedTokens(refs, asGiven, rows, pause, { before, after: '}' })
    })
    return { json }
  },
})
