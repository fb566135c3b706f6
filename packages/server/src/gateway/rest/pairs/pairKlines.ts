import { pairIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { klineAnswer, klineInputs } from './klineAnswer.ts'

/** GET /v2/klines/pair/{pair-id}: klines of a pair, including the open kline. */
export const pairKlines = defineOperation({
  id: 'pairKlines',
  method: 'GET',
  path: '/v2/klines/pair/{pair-id}',
  compatPath: '/v2/klines/pair/ondo/{pair-id}',
  cost: 10,
  tag: 'klines',
  summary: 'Klines of a pair',
  description:
    'Oldest first, the newest `limit` of those that start from `from_time` to `to_time`. `open` is the close before it.',
  inputs: { pair: pairIdInPath, ...klineInputs },
  answer: ref('Klines'),
  run: ({ pair: { chain, address }, body: _, ...query }, serving) =>
    klineAnswer(serving, chain, { pair: address }, query),
})
