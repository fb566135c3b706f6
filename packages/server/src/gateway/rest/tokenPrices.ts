import { RequestError } from '../errors.ts'
import { parseTokenId } from '../inputs.ts'
import { memberOf } from '../jsonBody.ts'
import { defineOperation } from '../operation.ts'
import { objectOf, ref } from '../schemas/words.ts'
import { idsName, textsOf, tokenIdsSchema } from '../tokenIds.ts'

type PriceBody = { ids: readonly string[]; tvlMin: number; volumeMin: number }

const idsMax = 200
const tvlMinDefault = 1_000
const volumeMinDefault = 0

/** Prices of many tokens at once. */
export const tokenPrices = defineOperation({
  id: 'tokenPrices',
  method: 'POST',
  path: '/v2/tokens/price',
  cost: 100,
  tag: 'tokens',
  summary: 'Prices of up to 200 tokens',
  description:
    'An object whose keys are the token-ids exactly as they were written. A token that is not known, or is under ' +
    'a threshold, is absent. The ids may be of several chains.',
  inputs: {},
  body: {
    description: 'The tokens, and what they must have at least.',
    schema: {
      ...objectOf(
        {
          token_ids: tokenIdsSchema(idsMax),
          tvl_min: threshold('USD in all pairs of the token', tvlMinDefault),
          tx_24h_volume_min: threshold('USD traded in 24 hours', volumeMinDefault),
        },
        { optional: ['tvl_min', 'tx_24h_volume_min'] },
      ),
    },
    example: { token_ids: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2-eth'], tvl_min: 0 },
    parse: (body): PriceBody => ({
      ids: textsOf(body, idsMax),
      tvlMin: thresholdOf(body, 'tvl_min', tvlMinDefault),
      volumeMin: thresholdOf(body, 'tx_24h_volume_min', volumeMinDefault),
    }),
  },
  answer: { type: 'object', additionalProperties: ref('PriceEntry') },
  run({ body: { ids, tvlMin, volumeMin } }, serving) {
    const { rows, chains } = serving
    const lines = rows.prices.batch(ids, chains, (id) => parseTokenId(serving, id, idsName))
    const members: string[] = []
    // The braces and the commas between.
    let sizeBytes = 2
    for (const line of lines) {
      if (line.tvlUsd < tvlMin || line.volume24hUsd < volumeMin) continue
      sizeBytes += line.sizeBytes + (members.length === 0 ? 0 : 1)
      members.push(line.json)
    }
    return { json: `{${members.join()}}`, sizeBytes }
  },
})

function threshold(of: string, value: number) {
  return {
    type: 'number',
    minimum: 0,
    default: value,
    description: `Least ${of}; 0: no threshold.`,
  }
}

function thresholdOf(body: unknown, name: string, byDefault: number): number {
  const value = memberOf(body, name)
  if (value === undefined) return byDefault
  if (typeof value !== 'number')
    throw new RequestError('invalid_param', `${name} must be a JSON number.`, name)
  // JSON has no infinity, but 1e999 becomes one.
  if (value < 0 || !Number.isFinite(value))
    throw new RequestError(
      'limit_out_of_range',
      `${name} must be a number from 0 on; 0 means no threshold.`,
      name,
    )
  return value
}
