import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { encodedText } from '../../ground/encodedJson.ts'
import { RequestError } from '../../ground/errors.ts'
import { componentRef, rowOrEmptyRef } from '../../ground/schemas.ts'
import {
  integerInput,
  optionalTextInput,
  pairIdInput,
  quoteInput,
  requiredChainInput,
  rowLimitInput,
  tokenIdInput,
} from '../../inputs/inputs.ts'
import type { MarketRows } from '../../rows/marketRows.ts'
import { defineOperation } from '../operation.ts'

/** GET /v2/pairs/{pair-id}: a pair with all its windows. */
export const pairDetail = defineOperation({
  id: 'pairDetail',
  method: 'GET',
  path: '/v2/pairs/{pair-id}',
  cost: 5,
  tag: 'pairs',
  summary: 'Pair detail',
  inputs: { pair: pairIdInput },
  hasEtag: true,
  answer: rowOrEmptyRef('PairDetail'),
  run({ pair: { chain, address } }, { rows }) {
    const pairId = chain.reads.findPair(address)
    if (pairId === undefined) return { json: '{}', msg: 'SUCCESS: pair not found' }
    return { json: rows.pairDetail(chain, pairId) }
  },
})

const limitMax = 100
// Maximum offset: the engine orders at most this many pairs of a token by TVL.
const offsetMax = 1_000
// Limits the work per request: pairs with unknown creation are skipped, at most this many.
const walkMax = 20_000

const limit = rowLimitInput({ description: 'Maximum number of rows.', default: 50, max: limitMax })

/** GET /v2/tokens/pairs/{token-id}: all pairs of a token. */
export const tokenPairs = defineOperation({
  id: 'tokenPairs',
  method: 'GET',
  path: '/v2/tokens/pairs/{token-id}',
  cost: 10,
  tag: 'pairs',
  summary: 'Pairs of a token',
  description: `The main pair first, then by TVL, largest first; up to ${offsetMax} pairs.`,
  inputs: {
    token: tokenIdInput,
    limit,
    offset: integerInput({
      name: 'offset',
      description: 'Number of rows to skip.',
      default: 0,
      min: 0,
      max: offsetMax,
    }),
  },
  answer: componentRef('PairsPage'),
  run({ token: { chain, address }, limit: count, offset }, { rows }) {
    const tokenId = chain.reads.findToken(address)
    if (tokenId === undefined) return { json: pageText([], ''), msg: 'SUCCESS: token not found' }
    // One pair more than requested shows whether there is a next page.
    const wanted = Math.min(offsetMax, offset + count + 1)
    const ids = chain.reads.tokenPairs(tokenId, wanted).slice(offset)
    const next = ids.length > count ? `${offset + count}` : ''
    return { json: pageText(rowsOf(chain, rows, ids.slice(0, count)), next) }
  },
})

/** GET /v2/pairs/new: a chain's pairs, newest first. */
export const newPairs = defineOperation({
  id: 'newPairs',
  method: 'GET',
  path: '/v2/pairs/new',
  cost: 10,
  tag: 'pairs',
  summary: 'New pairs of a chain',
  description:
    'Newest first. Only pairs whose creation was indexed. The topic `new_pairs` pushes the same pairs live.',
  inputs: {
    chain: requiredChainInput,
    limit,
    cursor: optionalTextInput({ name: 'cursor', description: '`next` of the previous page.' }),
  },
  answer: componentRef('PairsPage'),
  run({ chain, limit: count, cursor }, { rows }) {
    const { reads } = chain
    const ids: number[] = []
    let pairId = startOf(chain, cursor)
    for (let left = walkMax; pairId >= 0 && ids.length < count && left > 0; left -= 1) {
      if (reads.pairRecord(pairId).createdAtS > 0) ids.push(pairId)
      pairId -= 1
    }
    const next = pairId >= 0 ? reads.pairRecord(pairId + 1).address : ''
    return { json: pageText(rowsOf(chain, rows, ids), next) }
  },
})

/** Returns the id at which a page starts: the pair created before the cursor's pair. */
function startOf({ reads, ids }: GatewayChain, cursor: string | null): number {
  if (cursor === null) return reads.pairCount() - 1
  const address = ids.pair(cursor)
  const pairId = address === null ? undefined : reads.findPair(address)
  if (pairId === undefined)
    throw new RequestError(
      'invalid_param',
      `The cursor ${quoteInput(cursor)} is not a pair of this chain; a reorg may have reverted the pair.`,
      'cursor',
    )
  return pairId - 1
}

function rowsOf(chain: GatewayChain, rows: MarketRows, ids: readonly number[]): string[] {
  return ids.map((pairId) => encodedText(rows.pairDetail(chain, pairId)))
}

function pageText(rows: readonly string[], next: string): string {
  return `{"next":${JSON.stringify(next)},"pairs":[${rows.join()}]}`
}
