import { tokenIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { tokenNotFoundText } from '../../rows/tokenDetailRows.ts'

/** GET /v2/tokens/{token-id}: a token with its first pairs. */
export const tokenDetail = defineOperation({
  id: 'tokenDetail',
  method: 'GET',
  path: '/v2/tokens/{token-id}',
  cost: 5,
  tag: 'tokens',
  summary: 'Token detail with its top 5 pairs',
  description:
    'The main pair first, the others by TVL. A token that is not known has an empty `token`, no `pairs`, and says ' +
    'so in `msg`.',
  inputs: { token: tokenIdInPath },
  isTagged: true,
  answer: ref('TokenDetail'),
  isEnveloped: true,
  run({ token: { chain, address } }, { rows }) {
    const tokenId = chain.reads.findToken(address)
    return {
      json: tokenId === undefined ? tokenNotFoundText : rows.tokenDetail(chain, tokenId),
    }
  },
})
