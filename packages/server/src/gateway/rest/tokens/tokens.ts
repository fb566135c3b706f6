import { type Encoded, encodedBytes } from '../../operation/encoded.ts'
import { requiredChain, tokenIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { arrayOf, objectOf, ref } from '../../operation/schemas.ts'
import { type NamedTokens, tokenIdsOf, tokenIdsSchema } from '../../operation/tokenIds.ts'
import { tokenNotFoundText } from '../../rows/tokenDetailRows.ts'
import type { TokenRowParts } from '../../rows/tokenRows.ts'
import { bareFrame, encodedList } from './tokenList.ts'

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

const idsMax = 50

/** POST /v2/tokens/search: rows of many tokens. */
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
    parse: (body, serving): NamedTokens => tokenIdsOf(body, serving, idsMax),
  },
  answer: { type: 'object', additionalProperties: ref('TokenRow') },
  envelopedAnswer: arrayOf(ref('TokenRow')),
  run({ body: { tokens, warnings } }, { rows }) {
    const shown: TokenRowParts[] = []
    const keys: string[] = []
    // Index of each token's first key. Two spellings of an id are two keys of the object, but one
    // row in the envelope's list.
    const first = new Map<string, number>()
    for (const { key, chain, address } of tokens) {
      const tokenId = chain.reads.findToken(address)
      if (tokenId === undefined) continue
      const name = `${address}-${chain.profile.name}`
      if (!first.has(name)) first.set(name, keys.length)
      keys.push(key)
      shown.push(rows.token.parts(chain, tokenId))
    }
    const listed = [...first.values()].map((at) => shown[at]!)
    return {
      json: membersOf(keys, shown),
      enveloped: () => encodedList(listed, bareFrame),
      warnings,
    }
  },
})

function membersOf(keys: readonly string[], rows: readonly TokenRowParts[]): Encoded {
  if (keys.length === 0) return '{}'
  const parts = rows.flatMap(({ lasting, moving }, at) => {
    const key = `${at === 0 ? '{' : ','}${JSON.stringify(keys[at])}:`
    return [Buffer.from(key), lasting.bytes, moving.bytes]
  })
  return encodedBytes([...parts, Buffer.from('}')])
}

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
