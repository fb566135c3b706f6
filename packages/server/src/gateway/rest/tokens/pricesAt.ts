import type { PriceAt } from '@chaintape/protocol'
import { klineIntervalNames, klineIntervalsS } from '../../../model/klines/kline.ts'
import { chainNowS } from '../../chain/gatewayChain.ts'
import { readIntervalKlines } from '../../chain/readKlines.ts'
import { RequestError } from '../../ground/errors.ts'
import { memberOf } from '../../ground/jsonBody.ts'
import { componentRef, openObjectSchema } from '../../ground/schemas.ts'
import type { ChainAddress } from '../../inputs/inputs.ts'
import { type BatchTokens, parseTokenIds, tokenIdsSchema } from '../../inputs/tokenIds.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import { defineOperation, type OperationContext } from '../operation.ts'

const idsMax = 50
// Limits parallel reads: each price takes one or more store reads, and other requests need the
// store too.
const readsAtOnce = 4

/**
 * Kline intervals searched for a price, most exact first: short klines are retained for a shorter
 * time.
 */
const intervals = ['s1', 'k1', 'k60', 'k1440'] as const

type Asked = BatchTokens & { timeS: number }

/** POST /v2/tokens/price/at: prices of tokens at a past time. */
export const pricesAt = defineOperation({
  id: 'pricesAt',
  method: 'POST',
  path: '/v2/tokens/price/at',
  cost: 100,
  tag: 'tokens',
  summary: 'Prices of up to 50 tokens at a past time',
  description:
    'An object with the token ids exactly as requested as its keys. The price is the one of the last trade up to the time, from the klines ' +
    'of the main pair at that time, as precise as they are stored; `time` and `interval` describe that kline. A token that is unknown or was ' +
    'not traded before has null as its price.',
  inputs: {},
  body: {
    description: 'The tokens and the time.',
    schema: openObjectSchema({
      token_ids: tokenIdsSchema(idsMax),
      time: { type: 'integer', minimum: 0, description: 'Unix seconds, not in the future.' },
    }),
    example: { token_ids: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2-eth'], time: 1767225600 },
    parse: (body, serving): Asked => ({
      ...parseTokenIds(body, serving, idsMax),
      timeS: timeOf(body),
    }),
  },
  answer: { type: 'object', additionalProperties: componentRef('PriceAt') },
  async run({ body: { tokens, warnings, timeS } }, serving) {
    for (const { chain } of tokens)
      if (timeS > chainNowS(chain, serving.clock))
        throw new RequestError('limit_out_of_range', 'time is in the future.', 'time')
    const found: Record<string, PriceAt> = {}
    for (let at = 0; at < tokens.length; at += readsAtOnce)
      await Promise.all(
        tokens.slice(at, at + readsAtOnce).map(async (token) => {
          found[token.key] = await priceAt(token, timeS, serving)
        }),
      )
    const inOrder = tokens.map(({ key }) => [key, found[key]])
    return { json: JSON.stringify(Object.fromEntries(inOrder)), warnings }
  },
})

const unknown: PriceAt = { price_usd: null, price_eth: null, time: null, interval: null }

async function priceAt(
  { chain, address }: ChainAddress,
  timeS: number,
  { store }: OperationContext,
): Promise<PriceAt> {
  const { reads } = chain
  const tokenId = reads.findToken(address)
  const firstTradeAtS = tokenId === undefined ? null : reads.tokenSeries(tokenId)?.firstTradeAtS
  if (!firstTradeAtS || firstTradeAtS > timeS) return unknown
  for (const name of intervals) {
    const interval = klineIntervalNames.indexOf(name)
    const query = { chain, interval, fromS: 0, toS: timeS, limit: 1 }
    const [kline] = await readIntervalKlines(store, { token: address }, query)
    if (kline === undefined) continue
    // A kline that ends after the requested time gives its open: its close is a later price.
    const side = kline.startS + klineIntervalsS[interval]! > timeS + 1 ? 'open' : 'close'
    return {
      price_usd: decimalOrZero(kline.usd[side]),
      price_eth: decimalOrZero(kline.native[side]),
      time: kline.startS,
      interval: name,
    }
  }
  return unknown
}

function timeOf(body: unknown): number {
  const value = memberOf(body, 'time')
  if (value === undefined)
    throw new RequestError('missing_param', 'The body requires time, in unix seconds.', 'time')
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new RequestError('invalid_param', 'time must be a whole number of unix seconds.', 'time')
  if (value < 0 || !Number.isSafeInteger(value))
    throw new RequestError(
      'limit_out_of_range',
      'time must be at least 0, in unix seconds.',
      'time',
    )
  return value
}
