import type { TokenRecord } from '../../model/token.ts'
import { acrossTurns, type Pause } from '../acrossTurns.ts'
import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import { integer, optionalChain, requiredText, word } from '../inputs.ts'
import { defineOperation } from '../operation.ts'
import { finite, mainPairTvlUsd } from '../rows/tokenFigures.ts'
import { arrayOf, ref } from '../schemas/words.ts'
import { type OrderWord, orderedBy, orderedRows, type TokenRef } from './tokenOrder.ts'

const limitMax = 300
// Of each chain, the best by match and depth: as many as can be listed.
const candidatesMax = limitMax
// A look at a match takes a microsecond or two: a look at the clock with each would be a good part of it.
const looksPerPause = 16

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
  async run({ keyword, chain, limit, orderby }, { rows, chains, clock, turns }) {
    const searched = chain === null ? [...chains.values()] : [chain]
    const json = await acrossTurns(turns, searched, async (pause) => {
      const matches = matchesOf(keyword, searched)
      const kept = await keptOf(matches, { keyword, limit, orderby }, clock, pause)
      return kept === null ? null : orderedRows(kept, orderedBy(orderby, rows, clock), rows, pause)
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

/** Only those that are kept become rows; the others cost a look at their words and at one number. */
async function keptOf(
  matches: readonly TokenRef[],
  { keyword, limit, orderby }: Cut,
  clock: Clock,
  pause: Pause,
): Promise<readonly TokenRef[] | null> {
  if (matches.length <= limit) return matches
  const word = keyword.toLowerCase()
  const figureOf = selectedBy[orderby]
  const tiers: [Ranked[], Ranked[], Ranked[]] = [[], [], []]
  for (const [at, ref] of matches.entries()) {
    const pausing = at % looksPerPause === 0 ? pause() : null
    if (pausing !== null && !(await pausing)) return null
    tiers[tierOf(ref.chain.reads.tokenRecord(ref.tokenId), word)].push({
      ref,
      value: figureOf(ref, clock),
    })
  }
  return tiers
    .flatMap((tier) => tier.sort((a, b) => b.value - a.value))
    .slice(0, limit)
    .map(({ ref }) => ref)
}

type Ranked = { ref: TokenRef; value: number }

/** The number that a row shows of its token, read without making the others. */
const selectedBy: Readonly<Record<OrderWord, (ref: TokenRef, clock: Clock) => number>> = {
  tx_volume_u_24h: ({ chain, tokenId }, clock) =>
    chain.reads.tokenDayVolumeUsd(tokenId, nowSOf(chain, clock)),
  market_cap: ({ chain, tokenId }) => finite(chain.reads.tokenWorth(tokenId).marketCapUsd),
  main_pair_tvl: ({ chain, tokenId }) => mainPairTvlUsd(chain, chain.reads.mainPairOf(tokenId)),
  fdv: ({ chain, tokenId }) => finite(chain.reads.tokenWorth(tokenId).fdvUsd),
}

/** 0: the symbol or the address itself. 1: something begins so. 2: it is only inside. */
function tierOf({ symbol, name, address }: TokenRecord, keyword: string): 0 | 1 | 2 {
  const word = symbol.toLowerCase()
  const start = address.slice(0, keyword.length).toLowerCase()
  if (word === keyword || (start === keyword && address.length === keyword.length)) return 0
  if (word.startsWith(keyword) || start === keyword) return 1
  return name.toLowerCase().startsWith(keyword) ? 1 : 2
}
