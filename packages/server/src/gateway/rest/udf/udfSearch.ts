import { optionalText, rowLimit } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../operation/schemas.ts'
import { mainPairsOf, searchPairs, udfNameOf, udfTickerOf, udfTokensOf } from './udfSymbol.ts'

/** GET /udf/search: symbols that match a chart's search field. */
export const udfSearch = defineOperation({
  id: 'udfSearch',
  method: 'GET',
  path: '/udf/search',
  cost: 10,
  tag: 'klines',
  summary: 'Search of the chart feed',
  description:
    'Main pairs of the tokens whose symbol, name or address match; without a query those that trend. The exchange is ' +
    'the chain.',
  inputs: {
    query: optionalText({ name: 'query', description: 'Symbol, name or address of a token.' }),
    exchange: optionalText({ name: 'exchange', description: 'Only this chain.' }),
    type: optionalText({ name: 'type', description: 'Everything here is `crypto`.' }),
    limit: rowLimit({ description: 'Symbols at most.', default: 30, max: 100 }),
  },
  answer: arrayOf(ref('UdfFound')),
  async run({ query, exchange, type, limit }, serving) {
    if (type !== null && type !== 'crypto') return { json: '[]' }
    const {
      chains,
      screener,
      turns,
      rows: { record },
    } = serving
    const searched = [...chains.values()].filter(
      ({ profile, reads }) =>
        reads.head() !== null && (exchange === null || profile.name === exchange),
    )
    if (query === null) await Promise.all(searched.map((chain) => screener.traded(chain, turns)))
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
