import { pairIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { orEmpty } from '../../operation/schemas.ts'

/** GET /v2/pairs/{pair-id}: a pair with all its windows. */
export const pairDetail = defineOperation({
  id: 'pairDetail',
  method: 'GET',
  path: '/v2/pairs/{pair-id}',
  cost: 5,
  tag: 'pairs',
  summary: 'Pair detail',
  inputs: { pair: pairIdInPath },
  isTagged: true,
  answer: orEmpty('PairDetail'),
  run({ pair: { chain, address } }, { rows }) {
    const pairId = chain.reads.findPair(address)
    if (pairId === undefined) return { json: '{}', msg: 'SUCCESS: pair not found' }
    return { json: rows.pairDetail(chain, pairId) }
  },
})
