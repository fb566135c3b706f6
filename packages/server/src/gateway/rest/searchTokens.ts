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
      const kept = await keptOf(matches, { limit, orderby }, clock, pause)
      return kept === null ? null : orderedRows(kept, orderedBy(orderby, rows, clock), rows, pause)
    })
    return { json }
  },
})

type Match = TokenRef & {
  /** 0: the symbol or the address itself. 1: something begins so. 2: it is only inside. */
  tier: 0 | 1 | 2
}

function matchesOf(keyword: string, chains: readonly GatewayChain[]): readonly Match[] {
  const word = keyword.toLowerCase()
  return chains.flatMap((chain) => {
    const { exact, prefix, inside } = chain.reads.search(keyword, candidatesMax)
    const matches: Match[] = []
    for (const tokenId of exact) {
      // A whole name is no more than the beginning of one: anybody can give a token the name of another.
      const isItself = isSymbolOrAddress(chain.reads.tokenRecord(tokenId), word)
      matches.push({ chain, tokenId, tier: isItself ? 0 : 1 })
    }
    for (const tokenId of prefix) matches.push({ chain, tokenId, tier: 1 })
    for (const tokenId of inside) matches.push({ chain, tokenId, tier: 2 })
    return matches
  })
}

function isSymbolOrAddress({ symbol, address }: TokenRecord, word: string): boolean {
  return symbol.toLowerCase() === word || address.toLowerCase() === word
}

type Cut = { limit: number; orderby: OrderWord }

/** Only those that are kept become rows; the others cost a look at one number. */
async function keptOf(
  matches: readonly Match[],
  { limit, orderby }: Cut,
  clock: Clock,
  pause: Pause,
): Promise<readonly TokenRef[] | null> {
  if (matches.length <= limit) return matches
  const figureOf = selectedBy[orderby]
  const tiers: [Ranked[], Ranked[], Ranked[]] = [[], [], []]
  for (const [at, ref] of matches.entries()) {
    const pausing = at % looksPerPause === 0 ? pause() : null
    if (pausing !== null && !(await pausing)) return null
    tiers[ref.tier].push({ ref, value: figureOf(ref, clock) })
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
