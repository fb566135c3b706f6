import { largestIndexes } from '../../../engine/tables/largestIndexes.ts'
import { type Clock, chainNowS, type GatewayChain } from '../../chain/gatewayChain.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { type PauseCheck, runInSlices } from '../../ground/steps.ts'
import {
  optionalChainInput,
  orderInput,
  requiredTextInput,
  rowLimitInput,
} from '../../inputs/inputs.ts'
import { finiteOrZero, mainPairTvlUsd } from '../../rows/tokenRow.ts'
import { defineOperation } from '../operation.ts'
import { encodeOrderedTokens, type TokenRef } from './tokenList.ts'

const limitMax = 300
// Matches taken per chain, best by match and depth; equals the maximum number of results.
const candidatesMax = limitMax
// Matches between two checks for a pause: reading a match takes one or two microseconds, so a clock
// read for each would be a large part of the work.
const looksPerPause = 16

/** GET /v2/tokens: search by symbol, name or address. */
export const searchTokens = defineOperation({
  id: 'searchTokens',
  method: 'GET',
  path: '/v2/tokens',
  cost: 5,
  tag: 'tokens',
  summary: 'Search tokens',
  description:
    'Tokens whose symbol, name or address match, ignoring case. If more than `limit` tokens match, an exact symbol or ' +
    'address wins over a prefix, and a prefix over other matches; `orderby` sorts the result.',
  inputs: {
    keyword: requiredTextInput({
      name: 'keyword',
      description: 'Symbol, name or address of a token, or a part of one.',
      example: 'WETH',
    }),
    chain: optionalChainInput,
    limit: rowLimitInput({ description: 'Maximum number of rows.', default: 100, max: limitMax }),
    orderby: orderInput({
      name: 'orderby',
      description: 'Sort key, largest first.',
      words: ['tx_volume_u_24h', 'market_cap', 'main_pair_tvl', 'fdv'],
      default: 'tx_volume_u_24h',
    }),
  },
  hasEtag: true,
  answer: arraySchema(componentRef('TokenRow')),
  async run({ keyword, chain, limit, orderby }, { rows, chains, clock, scheduler }) {
    const searched = chain === null ? [...chains.values()] : [chain]
    const json = await runInSlices(scheduler, searched, async (pause) => {
      const matches = matchesOf(keyword, searched)
      const figureOf = (ref: TokenRef) => figures[orderby](ref, clock)
      const kept = await keptOf(matches, { keyword, limit, figureOf }, pause)
      return kept === null ? null : encodeOrderedTokens(kept, figureOf, rows, pause)
    })
    return { json }
  },
})

type Match = TokenRef & {
  /** How the engine matched the keyword. A full name ranks only as a prefix, see `isItself`. */
  kind: 'exact' | 'prefix' | 'inside'
}

function matchesOf(keyword: string, chains: readonly GatewayChain[]): readonly Match[] {
  const matches: Match[] = []
  for (const chain of chains) {
    const found = chain.reads.search(keyword, candidatesMax)
    const id = chain.ids.token(keyword)
    for (const kind of kinds)
      for (const tokenId of found[kind])
        if (id === null || !isNamesake(chain, tokenId, id)) matches.push({ chain, tokenId, kind })
  }
  return matches
}

const kinds = ['exact', 'prefix', 'inside'] as const

/**
 * True for a token whose address differs from the searched address only by letter case. Excluded,
 * because a full address means exactly one token.
 */
function isNamesake(chain: GatewayChain, tokenId: number, id: string): boolean {
  const { address } = chain.reads.tokenRecord(tokenId)
  return address !== id && address.toLowerCase() === id.toLowerCase()
}

/**
 * True when the keyword is the token's symbol or address. A matching name does not count, because
 * anyone can copy another token's name.
 */
function isItself({ chain, tokenId }: TokenRef, word: string): boolean {
  const { symbol, address } = chain.reads.tokenRecord(tokenId)
  return symbol.toLowerCase() === word || address.toLowerCase() === word
}

type Cut = { keyword: string; limit: number; figureOf: (ref: TokenRef) => number }

/**
 * Selects the matches to list by the figure they are sorted by. Only selected matches get a full
 * row, which costs far more than the figure.
 */
async function keptOf(
  matches: readonly Match[],
  { keyword, limit, figureOf }: Cut,
  pause: PauseCheck,
): Promise<readonly TokenRef[] | null> {
  if (matches.length <= limit) return matches
  const values = await valuesOf(matches, figureOf, pause)
  if (values === null) return null
  return largestByTier(matches, values, keyword.toLowerCase(), limit)
}

async function valuesOf(
  matches: readonly Match[],
  figureOf: (ref: TokenRef) => number,
  pause: PauseCheck,
): Promise<Float64Array | null> {
  const values = new Float64Array(matches.length)
  for (let place = 0; place < values.length; place += 1) {
    const pausing = place % looksPerPause === 0 ? pause() : null
    if (pausing !== null && !(await pausing)) return null
    values[place] = figureOf(matches[place]!)
  }
  return values
}

/**
 * Selects matches by tier: exact symbols and addresses, then prefixes, then other matches. Within a
 * tier, larger values come first; equal values keep the search order.
 */
function largestByTier(
  matches: readonly Match[],
  values: Float64Array,
  word: string,
  limit: number,
): readonly TokenRef[] {
  const kept: Match[] = []
  const others: number[] = []
  // Exact matches are visited by value, so that few token records are read: records are scattered
  // in memory.
  for (const place of largestOf(values, placesOf(matches, 'exact'), matches.length)) {
    if (kept.length === limit) break
    if (isItself(matches[place]!, word)) kept.push(matches[place]!)
    else others.push(place)
  }
  const begins = others.concat(placesOf(matches, 'prefix'))
  for (const tier of [begins, placesOf(matches, 'inside')])
    for (const place of largestOf(values, tier, limit - kept.length)) kept.push(matches[place]!)
  return kept
}

function placesOf(matches: readonly Match[], kind: Match['kind']): number[] {
  const places: number[] = []
  for (let place = 0; place < matches.length; place += 1)
    if (matches[place]!.kind === kind) places.push(place)
  return places
}

function largestOf(values: Float64Array, places: readonly number[], max: number): number[] {
  const placeAt = (at: number) => places[at]!
  const ofPlaces = new Float64Array(places.length)
  for (let at = 0; at < places.length; at += 1) ofPlaces[at] = values[places[at]!]!
  return largestIndexes(ofPlaces, max, placeAt).map(placeAt)
}

/** Readers of the figures that search results are ordered by, with the values that rows show. */
const figures = {
  tx_volume_u_24h: ({ chain, tokenId }: TokenRef, clock: Clock) =>
    chain.reads.tokenDayVolumeUsd(tokenId, chainNowS(chain, clock)),
  market_cap: ({ chain, tokenId }: TokenRef) =>
    finiteOrZero(chain.reads.tokenWorth(tokenId).marketCapUsd),
  main_pair_tvl: ({ chain, tokenId }: TokenRef) =>
    mainPairTvlUsd(chain, chain.reads.mainPairOf(tokenId)),
  fdv: ({ chain, tokenId }: TokenRef) => finiteOrZero(chain.reads.tokenWorth(tokenId).fdvUsd),
}
