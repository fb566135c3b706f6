import { tokenIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { klineAnswer, klineInputs } from './klineAnswer.ts'

/** Klines of a token's main pair. */
export const tokenKlines = defineOperation({
  id: 'tokenKlines',
  method: 'GET',
  path: '/v2/klines/token/{token-id}',
  cost: 10,
  tag: 'klines',
  summary: 'Klines of a token',
  description:
    'Those of its main pair, which `pair_id` names. A token that is only a quote in its main pair has none.',
  inputs: { token: tokenIdInPath, ...klineInputs },
  answer: ref('Klines'),
  async run({ token: { chain, address }, body: _, ...query }, serving) {
    const { reads } = chain
    const tokenId = reads.findToken(address)
    const mainPairId = tokenId === undefined ? null : reads.mainPairOf(tokenId)
    const isTarget = mainPairId !== null && reads.targetTokenOf(mainPairId) === tokenId
    const pairAddress = isTarget ? reads.pairRecord(mainPairId).address : null
    const answer = await klineAnswer(serving, chain, pairAddress, query)
    return tokenId === undefined ? { ...answer, msg: 'SUCCESS: token not found' } : answer
  },
})
