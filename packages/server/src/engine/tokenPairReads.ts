import type { TokenTvl } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { isPairTvlKnown, readPairTvlUsd } from './pairReads.ts'
import type { SideDepths } from './prices/sideDepths.ts'
import { largestIndexes } from './tables/largestIndexes.ts'
import { pairColumn as P } from './tables/pairTable.ts'
import { tokenColumn as T } from './tables/tokenTable.ts'

/**
 * Deepest pairs of a token, at most `max`: the main pair first, then by TVL; of equal pairs the
 * oldest first.
 */
export function readTokenPairs(state: MarketState, tokenId: number, max: number): number[] {
  const { tokens, depths } = state
  const token = tokens.page(tokenId + 1)
  const at = tokens.at(tokenId + 1)
  const main = state.series.mainPairOf(tokenId)
  const rows = new Set<number>(main === 0 ? [] : [main])
  const targets = depths.targetDepths(tokenId)
  if (targets === null) walk(state, token[at + T.targetHead]!, P.nextTarget, (row) => rows.add(row))
  else for (const row of deepestTargets(state, targets, max)) rows.add(row)
  const quotes = depths.quoteDepths(tokenId)
  if (quotes === null) walk(state, token[at + T.quoteHead]!, P.nextQuote, (row) => rows.add(row))
  else for (const row of quotes.deepest(max)) rows.add(row)
  const found = [...rows].map((row) => ({ row, tvlUsd: readPairTvlUsd(state, row - 1) }))
  const rank = (row: number) => (row === main ? 0 : 1)
  found.sort((a, b) => rank(a.row) - rank(b.row) || b.tvlUsd - a.tvlUsd || a.row - b.row)
  return found.slice(0, max).map(({ row }) => row - 1)
}

/** TVL of a token over all of its trusted pairs. */
export function readTokenTvl(
  state: MarketState,
  tokenId: number,
  quoteUsdOf: (tokenId: number) => number,
): TokenTvl {
  const { tokens, depths } = state
  const token = tokens.page(tokenId + 1)
  const at = tokens.at(tokenId + 1)
  const tvl = { usd: 0, isKnown: true }
  const targets = depths.targetDepths(tokenId)
  if (targets === null) addSideTvl(state, token[at + T.targetHead]!, P.nextTarget, tvl)
  else {
    for (const usd of targetValuesUsd(state, targets)) tvl.usd += usd
    tvl.isKnown = targets.areAllKnown()
  }
  const quotes = depths.quoteDepths(tokenId)
  if (quotes === null) addSideTvl(state, token[at + T.quoteHead]!, P.nextQuote, tvl)
  else {
    tvl.usd += quotes.total() * quoteUsdOf(tokenId)
    tvl.isKnown &&= quotes.areAllKnown()
  }
  return tvl
}

/**
 * Adds up the TVL of one side of a token. It takes no callback per pair, since every price of a
 * batch needs this sum.
 */
function addSideTvl(state: MarketState, head: number, nextColumn: number, to: TokenTvl): void {
  const { pairs } = state
  for (let row = head; row !== 0; row = pairs.page(row)[pairs.at(row) + nextColumn]!) {
    to.usd += readPairTvlUsd(state, row - 1)
    if (to.isKnown) to.isKnown = isPairTvlKnown(state, row - 1)
  }
}

function walk(
  { pairs }: MarketState,
  head: number,
  nextColumn: number,
  visit: (row: number) => void,
): void {
  for (let row = head; row !== 0; row = pairs.page(row)[pairs.at(row) + nextColumn]!) visit(row)
}

function deepestTargets(state: MarketState, depths: SideDepths, max: number): number[] {
  const rowAt = (place: number) => depths.pairRows[place]!
  return largestIndexes(targetValuesUsd(state, depths), max, rowAt).map(rowAt)
}

/** USD value of the pairs whose target is the token, each by the rate of its quote asset. */
function targetValuesUsd(state: MarketState, depths: SideDepths): Float64Array {
  const { rates, limits } = state
  const { count, quoteIndexes, values, pairRows } = depths
  const usd = new Float64Array(count)
  // Pairs without a quote asset have no stored rate; each costs another walk through memory.
  let left = limits.tokenPairsReadMax
  for (let place = 0; place < count; place += 1) {
    const quoteIndex = quoteIndexes[place]!
    if (quoteIndex >= 0) usd[place] = Math.max(0, values[place]!) * rates.quoteUsd(quoteIndex)
    else if (left > 0) {
      left -= 1
      usd[place] = readPairTvlUsd(state, pairRows[place]! - 1)
    }
  }
  return usd
}
