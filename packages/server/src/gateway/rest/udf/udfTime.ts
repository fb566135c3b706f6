import { defineOperation } from '../../operation/operation.ts'
import { timeS } from '../../schemas/words.ts'

/** The clock of the feed. */
export const udfTime = defineOperation({
  id: 'udfTime',
  method: 'GET',
  path: '/udf/time',
  cost: 10,
  tag: 'klines',
  summary: 'Unix time of the chart feed',
  inputs: {},
  answer: timeS,
  run: (_, { clock }) => ({ json: String(Math.floor(clock.nowMs() / 1_000)) }),
})
