import { requiredChain } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../operation/schemas.ts'
import { bareFrame, encodedList } from './encodedList.ts'

/**
 * GET /v2/tokens/main: the tokens that others are priced in (wrapped native coin, stablecoins,
 * other quote tokens).
 */
export const mainTokens = defineOperation({
  id: 'mainTokens',
  method: 'GET',
  path: '/v2/tokens/main',
  cost: 5,
  tag: 'tokens',
  summary: 'Main tokens of a chain',
  description: 'The wrapped native coin, the stablecoins and the other quote tokens of the chain.',
  inputs: { chain: requiredChain },
  isTagged: true,
  answer: arrayOf(ref('MainToken')),
  run({ chain }, { rows }) {
    const { native, stables, quotes } = chain.profile
    const addresses = new Set([native.wrappedToken, ...stables, ...quotes])
    const known = [...addresses].flatMap((address) => chain.reads.findToken(address) ?? [])
    return {
      json: encodedList(
        known.map((id) => rows.token.parts(chain, id)),
        bareFrame,
      ),
    }
  },
})
