import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../schemas/words.ts'
import { usageBody } from './usage.ts'

/** What the calling key has used and may still use. It costs nothing: who is out of credits needs it most. */
export const usageOfKey = defineOperation({
  id: 'usage',
  method: 'GET',
  path: '/v2/usage',
  cost: 0,
  tag: 'service',
  summary: 'Credits and rate of the calling key',
  inputs: {},
  answer: ref('Usage'),
  async run(_values, { clock, usageOf }, caller) {
    const { creditsUsed, requestsLeft } = caller.quota()
    const usages = await usageOf(caller)
    const { key, plan } = caller
    const nowMs = clock.nowMs()
    return {
      json: JSON.stringify(usageBody({ key, plan, creditsUsed, requestsLeft, usages, nowMs })),
    }
  },
})
