import { acrossTurns, type Pause } from '../acrossTurns.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { integer, optionalChain, requiredText, word } from '../inputs.ts'
import { defineOperation } from '../operation.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import type { TokenFigures } from '../rows/tokenFigures.ts'
import { arrayOf, ref } from '../schemas/words.ts'
import {
  type Figured,
  figureOf,
  figuresOf,
  type OrderWord,
  orderedBy,
  orderedText,
  type TokenRef,
} from './tokenOrder.ts'

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
  async run({ keyword, chain, limit, orderby }, { rows, chains, turns }) {
    const searched = chain === null ? [...chains.values()] : [chain]
    const json = await acrossTurns(turns, searched, async (pause) => {
      const matches = matchesOf(keyword, searched)
      const kept = await keptOf(matches, { keyword, limit, orderby }, rows, pause)
      return kept === null ? null : orderedText(kept, orderedBy(orderby, rows), rows, pause)
    })
    return { json }
  },
})

function matchesOf(keyword: string, chains: readonly GatewayChain[]): readonly TokenRef[] {
  return chains.flatMap((chain) =>
    chain.reads.search(keyword, candidatesMax).map((tokenId) => ({ chain, tokenId })),
  )
}

type Cut = { keyword: string; limit: number; orderby: OrderWord }

async function keptOf(
  matches: readonly TokenRef[],
  { keyword, limit, orderby }: Cut,
  rows: MarketRows,
  pause: Pause,
): Promise<readonly TokenRef[] | null> {
  if (matches.length <= limit) return matches
  const figured = await figuresOf(matches, rows, pause)
  if (figured === null) return null
  const word = keyword.toLowerCase()
  const tiers: [Figured[], Figured[], Figured[]] = [[], [], []]
  for (const match of figured) tiers[tierOf(match.figures, word)].push(match)
  const rankOf = figureOf[orderby]
  return tiers
    .flatMap((tier) => tier.sort((a, b) => rankOf(b.figures) - rankOf(a.figures)))
    .slice(0, limit)
    .map(({ ref }) => ref)
}

/** 0: the symbol or the address itself. 1: something begins so. 2: it is only inside. */
function tierOf({ symbol, name, address }: TokenFigures, keyword: string): 0 | 1 | 2 {
  if (symbol === keyword || address === keyword) return 0
  return [symbol, name, address].some((text) => text.startsWith(keyword)) ? 1 : 2
}
