import { defineOperation } from '../operation.ts'
import { arrayOf, objectOf, ref } from '../schemas/words.ts'
import { type NamedToken, tokenIdsOf, tokenIdsSchema } from '../tokenIds.ts'

const idsMax = 50

/** The rows of many tokens at once. */
export const tokenBatch = defineOperation({
  id: 'tokenBatch',
  method: 'POST',
  path: '/v2/tokens/search',
  cost: 100,
  tag: 'tokens',
  summary: 'Detail of up to 50 tokens',
  description:
    'An object whose keys are the token-ids exactly as they were written; in the envelope, an array of the rows. ' +
    'A token that is not known is absent. The ids may be of several chains.',
  inputs: {},
  body: {
    description: 'The tokens.',
    schema: objectOf({ token_ids: tokenIdsSchema(idsMax) }),
    example: { token_ids: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2-eth'] },
    parse: (body, serving): readonly NamedToken[] => tokenIdsOf(body, serving, idsMax),
  },
  answer: { type: 'object', additionalProperties: ref('TokenRow') },
  envelopedAnswer: arrayOf(ref('TokenRow')),
  run({ body: tokens }, { rows }) {
    const members: string[] = []
    // Two ways to write one id are two keys, but one token.
    const listed = new Set<string>()
    for (const { key, chain, address } of tokens) {
      const tokenId = chain.reads.findToken(address)
      if (tokenId === undefined) continue
      const row = rows.token.of(chain, tokenId)
      members.push(`${JSON.stringify(key)}:${row}`)
      listed.add(row)
    }
    return { json: `{${members.join()}}`, enveloped: `[${[...listed].join()}]` }
  },
})
