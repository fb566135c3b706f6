import { RequestError } from '../../ground/errors.ts'
import { memberOf } from '../../ground/jsonBody.ts'
import { componentRef, openObjectSchema } from '../../ground/schemas.ts'
import {
  createTokenIdReader,
  tokenIdsMember,
  tokenIdsSchema,
  tokenIdTexts,
} from '../../inputs/tokenIds.ts'
import { bodyIdsOfTexts, createBodyIdsReader } from '../../rows/prices/bodyIds.ts'
import type { PriceBatch, PriceThresholds } from '../../rows/prices/priceLineCache.ts'
import { defineOperation } from '../operation.ts'

const idsMax = 200
const tvlMinDefault = 1_000
const volumeMinDefault = 0

/** POST /v2/tokens/price: current prices of many tokens. */
export const tokenPrices = defineOperation({
  id: 'tokenPrices',
  method: 'POST',
  path: '/v2/tokens/price',
  cost: 100,
  tag: 'tokens',
  summary: 'Prices of up to 200 tokens',
  description:
    'An object with the token ids exactly as requested as its keys. Tokens that are unknown or below ' +
    'a threshold are absent. Ids of several chains may be mixed.',
  inputs: {},
  body: {
    description: 'The tokens and the thresholds.',
    schema: {
      ...openObjectSchema(
        {
          token_ids: tokenIdsSchema(idsMax),
          tvl_min: threshold('USD in all pairs of the token', tvlMinDefault),
          tx_24h_volume_min: threshold('USD traded in 24 hours', volumeMinDefault),
        },
        { optional: ['tvl_min', 'tx_24h_volume_min'] },
      ),
    },
    example: { token_ids: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2-eth'], tvl_min: 0 },
    parse: (body, serving): PriceBatch => ({
      ids: bodyIdsOfTexts(tokenIdTexts(body, serving, idsMax)),
      ...thresholdsOf(body),
    }),
    createBytesParser() {
      const readIds = createBodyIdsReader(tokenIdsMember, idsMax)
      return (bytes): PriceBatch | null => {
        const found = readIds(bytes)
        return found && { ids: found.ids, ...thresholdsOf(found.rest) }
      }
    },
  },
  answer: { type: 'object', additionalProperties: componentRef('PriceEntry') },
  run({ body }, serving) {
    const { rows, chains } = serving
    const reader = createTokenIdReader(serving)
    const json = rows.priceLines.encodeBatch(body, chains, reader.resolve)
    return { json, warnings: reader.warnings() }
  },
})

function thresholdsOf(body: unknown): PriceThresholds {
  return {
    tvlMinUsd: thresholdOf(body, 'tvl_min', tvlMinDefault),
    volumeMinUsd: thresholdOf(body, 'tx_24h_volume_min', volumeMinDefault),
  }
}

function threshold(of: string, value: number) {
  return {
    type: 'number',
    minimum: 0,
    default: value,
    description: `Minimum ${of}; 0: no threshold.`,
  }
}

function thresholdOf(body: unknown, name: string, byDefault: number): number {
  const value = memberOf(body, name)
  if (value === undefined) return byDefault
  if (typeof value !== 'number')
    throw new RequestError('invalid_param', `${name} must be a JSON number.`, name)
  // JSON has no infinity, but `1e999` parses as infinity.
  if (value < 0 || !Number.isFinite(value))
    throw new RequestError(
      'limit_out_of_range',
      `${name} must be a number of at least 0; 0 means no threshold.`,
      name,
    )
  return value
}
