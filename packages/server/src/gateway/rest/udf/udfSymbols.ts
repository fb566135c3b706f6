import type { UdfSymbol } from '@chaintape/protocol'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { optionalTextInput, requiredTextInput, rowLimitInput } from '../../inputs/inputs.ts'
import type { ReadTokenRecord } from '../../rows/pairMembers.ts'
import { defineOperation } from '../operation.ts'
import { udfMinutes, udfResolutions } from './udfConfig.ts'
import {
  findUdfPair,
  mainPairsOf,
  searchPairs,
  type UdfPair,
  udfNameOf,
  udfTickerOf,
  udfTokensOf,
} from './udfPair.ts'

// Charts show this many significant digits of a price.
const digitsShown = 5
// Charting libraries accept price scales up to 1e16.
const scaleDigitsMax = 16

/** GET /udf/symbols: description of a symbol and the number format of its prices. */
export const udfSymbols = defineOperation({
  id: 'udfSymbols',
  method: 'GET',
  path: '/udf/symbols',
  cost: 10,
  tag: 'klines',
  summary: 'One symbol of the chart feed',
  description: 'An unknown symbol is answered with `s: error`, as the protocol requires.',
  inputs: {
    symbol: requiredTextInput({
      name: 'symbol',
      description:
        'The ticker, `<pair_address>-<chain>`, `<token_address>-<chain>` or `SYMBOL/QUOTE`.',
    }),
  },
  answer: { anyOf: [componentRef('UdfSymbol'), componentRef('UdfError')] },
  run({ symbol }, { chains, rows: { record } }) {
    const pair = findUdfPair(chains, symbol, record)
    const body = pair === null ? { s: 'error', errmsg: 'unknown_symbol' } : symbolOf(pair, record)
    return { json: JSON.stringify(body) }
  },
})

function symbolOf(pair: UdfPair, recordOf: ReadTokenRecord): UdfSymbol {
  const { target, quote } = udfTokensOf(pair, recordOf)
  const { profile, reads } = pair.chain
  const { record, price0Usd, price1Usd, targetTokenId } = reads.pairState(pair.pairId)
  const exchange = profile.name
  return {
    name: udfNameOf(pair, recordOf),
    ticker: udfTickerOf(pair),
    description: `${target.name} / ${quote.symbol} (${record.amm})`,
    type: 'crypto',
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange,
    listed_exchange: exchange,
    'exchange-traded': exchange,
    'exchange-listed': exchange,
    minmov: 1,
    minmov2: 0,
    pointvalue: 1,
    pricescale: priceScale(targetTokenId === record.token0Id ? price0Usd : price1Usd),
    format: 'price',
    currency_code: 'USD',
    has_intraday: true,
    has_seconds: true,
    seconds_multipliers: ['1'],
    has_daily: true,
    has_weekly_and_monthly: true,
    intraday_multipliers: udfMinutes,
    supported_resolutions: udfResolutions,
    volume_precision: 2,
    data_status: 'streaming',
  }
}

/** Returns the `pricescale` of a symbol: the power of ten that shows enough digits of its price. */
export function priceScale(priceUsd: number | null): number {
  if (priceUsd === null || priceUsd <= 0) return 10 ** digitsShown
  const digits = digitsShown - 1 - Math.floor(Math.log10(priceUsd))
  return 10 ** Math.min(scaleDigitsMax, Math.max(2, digits))
}

/** GET /udf/search: symbols that match a chart's search field. */
export const udfSearch = defineOperation({
  id: 'udfSearch',
  method: 'GET',
  path: '/udf/search',
  cost: 10,
  tag: 'klines',
  summary: 'Search of the chart feed',
  description:
    'Main pairs of tokens whose symbol, name or address match; without a query, trending tokens. The exchange is ' +
    'the chain.',
  inputs: {
    query: optionalTextInput({ name: 'query', description: 'Symbol, name or address of a token.' }),
    exchange: optionalTextInput({ name: 'exchange', description: 'Only this chain.' }),
    type: optionalTextInput({ name: 'type', description: 'All symbols are `crypto`.' }),
    limit: rowLimitInput({ description: 'Maximum number of symbols.', default: 30, max: 100 }),
  },
  answer: arraySchema(componentRef('UdfFound')),
  async run({ query, exchange, type, limit }, serving) {
    if (type !== null && type !== 'crypto') return { json: '[]' }
    const {
      chains,
      screener,
      scheduler,
      rows: { record },
    } = serving
    const searched = [...chains.values()].filter(
      ({ profile, reads }) =>
        reads.head() !== null && (exchange === null || profile.name === exchange),
    )
    if (query === null)
      await Promise.all(searched.map((chain) => screener.tradedBoard(chain, scheduler)))
    const found = searched
      .flatMap((chain) =>
        query === null
          ? mainPairsOf(chain, screener.trending(chain).ids().slice(0, limit))
          : searchPairs(chain, query, limit),
      )
      .slice(0, limit)
    const rows = found.map((pair) => ({
      symbol: udfNameOf(pair, record),
      full_name: udfTickerOf(pair),
      description: udfTokensOf(pair, record).target.name,
      exchange: pair.chain.profile.name,
      ticker: udfTickerOf(pair),
      type: 'crypto',
    }))
    return { json: JSON.stringify(rows) }
  },
})
