import { tokenIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { klineAnswer, klineInputs } from './klineAnswer.ts'

/** GET /v2/klines/token/{token-id}: klines of a token across its successive main pairs. */
export const tokenKlines = defineOperation({
  id: 'tokenKlines',
  method: 'GET',
  path: '/v2/klines/token/{token-id}',
  cost: 10,
  tag: 'klines',
  summary: 'Klines of a token',
  description:
    'Those of the pair that was its main pair at the time: a launch curve, its pool and any later main pair are one market. ' +
    '`pair_id` is the main pair of now.',
  inputs: { token: tokenIdInPath, ...klineInputs },
  answer: ref('Klines'),
  async run({ token: { chain, address }, body: _, ...query }, serving) {
    const answer = await klineAnswer(serving, chain, { token: address }, query)
    return chain.reads.findToken(address) === undefined
      ? { ...answer, msg: 'SUCCESS: token not found' }
      : answer
  },
})
