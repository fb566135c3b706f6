import { type EncodedJson, joinBuffers } from '../../ground/encodedJson.ts'
import { arraySchema, componentRef, openObjectSchema } from '../../ground/schemas.ts'
import { requiredChainInput, tokenIdInput } from '../../inputs/inputs.ts'
import { type BatchTokens, parseTokenIds, tokenIdsSchema } from '../../inputs/tokenIds.ts'
import { type TokenRowParts, tokenNotFoundJson } from '../../rows/marketRows.ts'
import { defineOperation } from '../operation.ts'
import { encodeTokenList, noFrame } from './tokenList.ts'

/** GET /v2/tokens/{token-id}: a token with its first pairs. */
export const tokenDetail = defineOperation({
  id: 'tokenDetail',
  method: 'GET',
  path: '/v2/tokens/{token-id}',
  cost: 5,
  tag: 'tokens',
  summary: 'Token detail with its top 5 pairs',
  description:
    'The main pair first, the others by TVL. For an unknown token, `token` and `pairs` are empty and `msg` says ' +
    'so.',
  inputs: { token: tokenIdInput },
  hasEtag: true,
  answer: componentRef('TokenDetail'),
  isEnveloped: true,
  run({ token: { chain, address } }, { rows }) {
    const tokenId = chain.reads.findToken(address)
    return {
      json: tokenId === undefined ? tokenNotFoundJson : rows.tokenDetail(chain, tokenId),
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
    'An object with the token ids exactly as requested as its keys; in the envelope, an array of the rows. ' +
    'Unknown tokens are absent. Ids of several chains may be mixed.',
  inputs: {},
  body: {
    description: 'The tokens.',
    schema: openObjectSchema({ token_ids: tokenIdsSchema(idsMax) }),
    example: { token_ids: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2-eth'] },
    parse: (body, serving): BatchTokens => parseTokenIds(body, serving, idsMax),
  },
  answer: { type: 'object', additionalProperties: componentRef('TokenRow') },
  envelopedAnswer: arraySchema(componentRef('TokenRow')),
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
      shown.push(rows.tokenRows.parts(chain, tokenId))
    }
    const listed = [...first.values()].map((at) => shown[at]!)
    return {
      json: membersOf(keys, shown),
      enveloped: () => encodeTokenList(listed, noFrame),
      warnings,
    }
  },
})

function membersOf(keys: readonly string[], rows: readonly TokenRowParts[]): EncodedJson {
  if (keys.length === 0) return '{}'
  const parts = rows.flatMap(({ lasting, moving }, at) => {
    const key = `${at === 0 ? '{' : ','}${JSON.stringify(keys[at])}:`
    return [Buffer.from(key), lasting.bytes, moving.bytes]
  })
  return joinBuffers([...parts, Buffer.from('}')])
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
  inputs: { chain: requiredChainInput },
  hasEtag: true,
  answer: arraySchema(componentRef('MainToken')),
  run({ chain }, { rows }) {
    const { native, stables, quotes } = chain.profile
    const addresses = new Set([native.wrappedToken, ...stables, ...quotes])
    const known = [...addresses].flatMap((address) => chain.reads.findToken(address) ?? [])
    return {
      json: encodeTokenList(
        known.map((id) => rows.tokenRows.parts(chain, id)),
        noFrame,
      ),
    }
  },
})
