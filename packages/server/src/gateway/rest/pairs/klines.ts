import type { KlinePoint, Klines } from '@chaintape/protocol'
import type { TokenKlines } from '../../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import type { Kline } from '../../../model/klines/kline.ts'
import { chainNowS, type GatewayChain } from '../../chain/gatewayChain.ts'
import {
  fillKlines,
  type KlineLength,
  type KlineSubject,
  readKlines,
} from '../../chain/readKlines.ts'
import { RequestError } from '../../ground/errors.ts'
import { componentRef } from '../../ground/schemas.ts'
import {
  fromTimeInput,
  pairIdInput,
  rowLimitInput,
  timeRangeOf,
  tokenIdInput,
  toTimeInput,
  wordInput,
} from '../../inputs/inputs.ts'
import { klineLengthInput } from '../../inputs/klineLengths.ts'
import { poolUsdReason } from '../../rows/usdReason.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import { defineOperation, type OperationAnswer, type OperationContext } from '../operation.ts'

/** Inputs common to the kline operations of pairs and tokens. */
const klineInputs = {
  length: klineLengthInput,
  limit: rowLimitInput({
    alias: 'size',
    description: 'Maximum number of points, the newest of the range.',
    default: 300,
    max: 1_000,
  }),
  fromTime: fromTimeInput,
  toTime: toTimeInput,
  category: wordInput({
    name: 'category',
    description:
      "Unit of prices and volume: u USD, m native coin, r the pair's quote token if that is a stablecoin or the native coin.",
    words: ['u', 'r', 'm'],
    default: 'u',
  }),
  fill: wordInput({
    name: 'fill',
    description: 'true: also return buckets without trades, flat at the previous close.',
    words: ['false', 'true'],
    default: 'false',
  }),
}

export type KlineRequest = {
  length: KlineLength
  limit: number
  fromTime: number | null
  toTime: number | null
  category: 'u' | 'r' | 'm'
  fill: 'false' | 'true'
}

/** Answers a request for klines of a pair or token. */
async function klineAnswer(
  { store, clock }: OperationContext,
  chain: GatewayChain,
  of: KlineSubject,
  query: KlineRequest,
): Promise<OperationAnswer> {
  const { length, limit } = query
  const nowS = chainNowS(chain, clock)
  const range = timeRangeOf(query.fromTime, query.toTime, nowS)
  const body = { points: [], total_count: 0, to_time: range.toS, limit }
  const intervalField = { interval: length.name, category: query.category }
  const priced = findPriced(chain, of)
  if (priced === null) {
    const ids = { pair_id: '', target_token_id: '' }
    return {
      json: JSON.stringify({ ...body, ...intervalField, ...ids }),
      msg: 'SUCCESS: pair not found',
    }
  }
  const unit = unitOf(chain, priced, query.category)
  const isFilled = query.fill === 'true'
  const klines = await readKlines(store, of, {
    chain,
    length,
    // Reads from the start of history: the first empty buckets show the close before the range.
    ...(isFilled ? { fromS: 0, toS: range.toS, limit: limit + 1 } : { ...range, limit }),
  })
  const ids = idsOf(chain, findPriced(chain, of))
  const shown = isFilled
    ? fillKlines(klines, {
        buckets: length.buckets,
        fromS: range.fromS,
        toS: Math.min(range.toS, nowS),
        limit,
        firstTradeAtS: ids.firstTradeAtS,
      })
    : klines
  const points = shown.map((kline) => pointOf(kline, unit, chain.profile.native.decimals))
  return {
    json: JSON.stringify({
      ...body,
      points,
      total_count: points.length,
      ...intervalField,
      ...ids.fields,
    } satisfies Klines),
  }
}

/**
 * The requested market of a kline request: a token and the pair that prices it, by id. `series` is
 * null for a request by pair.
 */
type PricedMarket = { tokenId: number; pairId: number; series: TokenKlines | null }

/** Resolves the requested pair or token. Null: unknown pair, or a token without a main pair. */
function findPriced({ reads }: GatewayChain, of: KlineSubject): PricedMarket | null {
  if ('pair' in of) {
    const pairId = reads.findPair(of.pair)
    return pairId === undefined
      ? null
      : { tokenId: reads.targetTokenOf(pairId), pairId, series: null }
  }
  const tokenId = reads.findToken(of.token)
  const series = tokenId === undefined ? null : reads.tokenSeries(tokenId)
  return tokenId === undefined || series === null
    ? null
    : { tokenId, pairId: series.mainPairId, series }
}

type Unit = 'usd' | 'native'

/**
 * Returns the stored unit of a category. Klines are stored in USD and native coin only, so `r` is
 * refused for pairs quoted in other tokens.
 */
function unitOf(
  chain: GatewayChain,
  { tokenId, pairId }: PricedMarket,
  category: KlineRequest['category'],
): Unit {
  if (category !== 'r') return category === 'u' ? 'usd' : 'native'
  const { reads, profile } = chain
  const record = reads.pairRecord(pairId)
  const quoteId = tokenId === record.token0Id ? record.token1Id : record.token0Id
  const { address, symbol } = reads.tokenRecord(quoteId)
  if (profile.stables.includes(address)) return 'usd'
  const { wrappedToken, coin } = profile.native
  if (address === wrappedToken || address === coin) return 'native'
  throw new RequestError(
    'invalid_param',
    `This pair is quoted in ${symbol}; klines are available in USD (category u) and ${profile.native.symbol} (category m).`,
    'category',
  )
}

function pointOf({ startS, ...kline }: Kline, unit: Unit, nativeDecimals: number): KlinePoint {
  const { open, high, low, close } = kline[unit]
  return {
    open: decimalOrZero(open),
    high: decimalOrZero(high),
    low: decimalOrZero(low),
    close: decimalOrZero(close),
    volume:
      unit === 'usd'
        ? decimalOfE8(kline.volumeUsdE8)
        : decimalOfRaw(kline.volumeNativeRaw, nativeDecimals),
    time: startS,
  }
}

/**
 * Returns the ids in the answer. Called after the store answered, because a reorg may have reverted
 * the pair meanwhile.
 */
function idsOf({ reads, profile }: GatewayChain, priced: PricedMarket | null) {
  if (priced === null) return { firstTradeAtS: 0, fields: { pair_id: '', target_token_id: '' } }
  const { tokenId, pairId, series } = priced
  const { firstTradeAtS, record } = reads.pairState(pairId)
  const reason = poolUsdReason(record.isTrusted)
  const launch = reads.launchOf(tokenId)
  const idOf = (text: string) => `${text}-${profile.name}`
  const pairIdOf = (id: number) => idOf(reads.pairRecord(id).address)
  const periods = series?.periods ?? []
  return {
    firstTradeAtS: series === null ? firstTradeAtS : series.firstTradeAtS,
    fields: {
      pair_id: idOf(record.address),
      target_token_id: idOf(reads.tokenRecord(tokenId).address),
      ...(launch === null ? {} : { pump_pair_id: pairIdOf(launch.curvePairId) }),
      ...(periods.length < 2
        ? {}
        : {
            main_pairs: periods.map((period) => ({
              pair_id: pairIdOf(period.pairId),
              from_block: period.fromBlock,
            })),
          }),
      ...(series === null || series.exactFromS === 0 ? {} : { exact_from: series.exactFromS }),
      ...(reason === null ? {} : { usd_reason: reason }),
    },
  }
}

/** GET /v2/klines/pair/{pair-id}: klines of a pair, including the open kline. */
export const pairKlines = defineOperation({
  id: 'pairKlines',
  method: 'GET',
  path: '/v2/klines/pair/{pair-id}',
  compatPath: '/v2/klines/pair/ondo/{pair-id}',
  cost: 10,
  tag: 'klines',
  summary: 'Klines of a pair',
  description:
    'Oldest first: the newest `limit` klines that start in `from_time` to `to_time`. `open` is the previous close.',
  inputs: { pair: pairIdInput, ...klineInputs },
  answer: componentRef('Klines'),
  run: ({ pair: { chain, address }, body: _, ...query }, serving) =>
    klineAnswer(serving, chain, { pair: address }, query),
})

/** GET /v2/klines/token/{token-id}: klines of a token across its successive main pairs. */
export const tokenKlines = defineOperation({
  id: 'tokenKlines',
  method: 'GET',
  path: '/v2/klines/token/{token-id}',
  cost: 10,
  tag: 'klines',
  summary: 'Klines of a token',
  description:
    'Klines of the pair that was the main pair at the time: a launch curve, its pool and later main pairs form one market. ' +
    '`pair_id` is the current main pair.',
  inputs: { token: tokenIdInput, ...klineInputs },
  answer: componentRef('Klines'),
  async run({ token: { chain, address }, body: _, ...query }, serving) {
    const answer = await klineAnswer(serving, chain, { token: address }, query)
    return chain.reads.findToken(address) === undefined
      ? { ...answer, msg: 'SUCCESS: token not found' }
      : answer
  },
})
