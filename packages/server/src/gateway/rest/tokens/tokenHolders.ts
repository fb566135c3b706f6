import { order, rowLimit, tokenIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../operation/schemas.ts'
import { jsonObject } from '../../rows/wireNumber.ts'
import { topHolderRows } from './topHolders.ts'

/** GET /v2/tokens/holders/{token-id}: a token's largest holders in the requested order. */
export const tokenHolders = defineOperation({
  id: 'tokenHolders',
  method: 'GET',
  path: '/v2/tokens/holders/{token-id}',
  cost: 10,
  tag: 'tokens',
  summary: 'Holders of a token',
  description:
    'The `limit` largest holders. Both sortings give the same order: a percentage is the balance of the same supply.',
  inputs: {
    token: tokenIdInPath,
    limit: rowLimit({ description: 'Holders at most.', default: 100, max: 100 }),
    sortBy: order({
      name: 'sort_by',
      description: 'What the rows are ordered by.',
      words: ['balance', 'percentage'],
      default: 'balance',
    }),
    order: order({
      name: 'order',
      description: 'Direction.',
      words: ['desc', 'asc'],
      default: 'desc',
    }),
  },
  answer: arrayOf(ref('ListedHolder')),
  async run({ token, limit, order }, serving) {
    const rows = await topHolderRows(serving, token, limit)
    if (rows === null) return { json: '[]', msg: 'SUCCESS: token not found' }
    const texts = rows.map((row) => jsonObject({ ...row, new_tags: '[]' }))
    return { json: `[${(order === 'asc' ? texts.reverse() : texts).join()}]` }
  },
})
