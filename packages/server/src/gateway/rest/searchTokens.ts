import type { GatewayChain } from '../gatewayChain.ts'
import { integer, optionalChain, requiredText, word } from '../inputs.ts'
import { defineOperation, type Serving } from '../operation.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import { arrayOf, ref } from '../schemas/words.ts'
import { inOrder, type OrderWord, rowsText, type TokenRef } from './tokenOrder.ts'

const limitMax = 300
// Of each chain, the best by match and depth. Each costs a read of its figures, a few microseconds.
const candidatesMax = 500

/** Tokens by symbol, name or address. */
export const searchTokens = defineOperation({
  id: 'searchTokens',
  method: 'GET',
  path: '/v2/tokens',
  cost: 5,
  tag: 'tokens',
  summary: 'Search tokens',
  description:
    'Tokens whose symbol, name or address match, without case. Where more match than `limit`, an exact symbol or ' +
    'address is kept before one that begins so, and that before any other; the kept ones are in the order of `orderby`.',
  inputs: {
    keyword: requiredText({
      name: 'keyword',
      description: 'Symbol, name or address of a token, or a part of it.',
      example: 'WETH',
    }),
    chain: optionalChain,
    limit: integer({
      name: 'limit',
      description: 'Rows at most.',
      ...{ default: 100, min: 1, max: limitMax },
    }),
    orderby: word({
      name: 'orderby',
      description: 'What the rows are ordered by, largest first.',
      words: ['tx_volume_u_24h', 'market_cap', 'main_pair_tvl', 'fdv'],
      default: 'tx_volume_u_24h',
    }),
  },
  answer: arrayOf(ref('TokenRow')),
  run({ keyword, chain, limit, orderby }, serving) {
    const { rows } = serving
    const kept = keptOf(matchesOf(keyword, chain, serving), { keyword, limit, orderby, rows })
    return { json: rowsText(inOrder(kept, orderby, rows), rows) }
  },
})

function matchesOf(
  keyword: string,
  chain: GatewayChain | null,
  { chains }: Serving,
): readonly TokenRef[] {
  return (chain === null ? [...chains.values()] : [chain]).flatMap((each) =>
    each.reads.search(keyword, candidatesMax).map((tokenId) => ({ chain: each, tokenId })),
  )
}

type Cut = { keyword: string; limit: number; orderby: OrderWord; rows: MarketRows }

function keptOf(matches: readonly TokenRef[], cut: Cut): readonly TokenRef[] {
  const { limit, rows } = cut
  if (matches.length <= limit) return matches
  const keyword = cut.keyword.toLowerCase()
  const tiers: [TokenRef[], TokenRef[], TokenRef[]] = [[], [], []]
  for (const match of matches) tiers[tierOf(match, keyword, rows)].push(match)
  const kept: TokenRef[] = []
  for (const tier of tiers)
    if (kept.length < limit)
      kept.push(...inOrder(tier, cut.orderby, rows).slice(0, limit - kept.length))
  return kept
}

/** 0: the symbol or the address itself. 1: something begins so. 2: it is only inside. */
function tierOf({ chain, tokenId }: TokenRef, keyword: string, rows: MarketRows): 0 | 1 | 2 {
  const { symbol, name, address } = rows.tokenFigures.of(chain, tokenId)
  if (symbol === keyword || address === keyword) return 0
  return [symbol, name, address].some((text) => text.startsWith(keyword)) ? 1 : 2
}
