import assert from 'node:assert'
import type { PairRecord } from '../model/pair.ts'
import type { MarketState } from './marketState.ts'
import { type PairSide, pairSides } from './prices/pairDepths.ts'
import type { Catalog } from './search/catalog.ts'
import { pairColumn as P, pairFlag, pairPart } from './tables/pairTable.ts'
import type { RowTable } from './tables/rowTable.ts'
import { tokenColumn as T, tokenPart } from './tables/tokenTable.ts'

/**
 * Which of the two tokens is the target: the one that is not a quote asset. Of two quote assets it
 * is the less preferred one; without a quote asset the first token.
 */
function targetSideOf(catalog: Catalog, token0Id: number, token1Id: number): 0 | 1 {
  const index0 = catalog.quoteIndex(token0Id)
  const index1 = catalog.quoteIndex(token1Id)
  if (index0 < 0) return 0
  if (index1 < 0) return 1
  return index0 > index1 ? 0 : 1
}

export function pairFlagsOf(
  state: MarketState,
  record: Pick<PairRecord, 'isTrusted' | 'token0Id' | 'token1Id'>,
): number {
  if (!record.isTrusted) return 0
  const { catalog, rates, profile } = state
  const index0 = catalog.quoteIndex(record.token0Id)
  const index1 = catalog.quoteIndex(record.token1Id)
  const isStable = (index: number) => index >= 0 && profile.stables.includes(catalog.quotes[index]!)
  const mayPrice = index0 >= 0 || index1 >= 0
  const pricesNative =
    (rates.isNative(index0) && isStable(index1)) || (rates.isNative(index1) && isStable(index0))
  return (
    pairFlag.isTrusted |
    (mayPrice ? pairFlag.mayPrice : 0) |
    (pricesNative ? pairFlag.pricesNative : 0)
  )
}

export function addPair(state: MarketState, record: PairRecord): void {
  const { catalog, pairs, tokens, depths } = state
  const { token0Id, token1Id } = record
  assert(Math.max(token0Id, token1Id) < catalog.tokenCount, 'the tokens are known')
  catalog.addPair(record)
  const row = pairs.alloc()
  const side = targetSideOf(catalog, token0Id, token1Id)
  const target = side === 0 ? token0Id : token1Id
  const quote = side === 0 ? token1Id : token0Id
  const page = pairs.page(row)
  const at = pairs.at(row)
  page[at + P.targetSide] = side
  page[at + P.targetToken] = target
  page[at + P.quoteToken] = quote
  page[at + P.quoteIndex] = catalog.quoteIndex(quote)
  const flags = pairFlagsOf(state, record)
  const isScaled = catalog.isScaled(token0Id) && catalog.isScaled(token1Id)
  page[at + P.flags] = isScaled ? flags : flags | pairFlag.isUnscaled
  if (flags & pairFlag.pricesNative) catalog.nativePools.push(record.id)
  const { isTrusted } = record
  // Only trusted pairs can launch a token: any contract can name one.
  const isLaunch = isTrusted && !wasTradable(state, target)
  if (isTrusted || hasRoomForUntrusted(state, target + 1, pairSides.target)) {
    appendToSide(tokens, target + 1, pairSides.target, pairs, row)
    tokens.page(target + 1)[tokens.at(target + 1) + T.targetCount]! += 1
  }
  if (isTrusted || hasRoomForUntrusted(state, quote + 1, pairSides.quote))
    appendToSide(tokens, quote + 1, pairSides.quote, pairs, row)
  // Appending the pair has saved the token's row already.
  if (isLaunch) tokens.page(target + 1)[tokens.at(target + 1) + T.launchedAtS] = record.createdAtS
  depths.add(row)
}

/**
 * True if the token was tradable before this pair: it is the target of an earlier trusted pair, or
 * the quote of a pair that existed before its discovery.
 */
function wasTradable(state: MarketState, tokenId: number): boolean {
  if (oldestTrusted(state, tokenId, pairSides.target) !== 0) return true
  const quoteRow = oldestTrusted(state, tokenId, pairSides.quote)
  return quoteRow !== 0 && state.catalog.isLate(quoteRow - 1)
}

/** Row of the token's oldest trusted pair; 0 if it has none. Few untrusted pairs precede it. */
function oldestTrusted({ tokens, pairs }: MarketState, tokenId: number, side: PairSide): number {
  let row = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + side.head]!
  while (row !== 0 && (pairs.page(row)[pairs.at(row) + P.flags]! & pairFlag.isTrusted) === 0)
    row = pairs.page(row)[pairs.at(row) + side.next]!
  return row
}

/**
 * Limits the untrusted pairs of a token, so that they do not use up the room of later trusted ones.
 */
function hasRoomForUntrusted(
  { tokens, pairs, limits }: MarketState,
  tokenRow: number,
  side: PairSide,
): boolean {
  const tail = tokens.page(tokenRow)[tokens.at(tokenRow) + side.tail]!
  if (tail === 0) return limits.untrustedPairsMax > 0
  return pairs.page(tail)[pairs.at(tail) + side.place]! + 1 < limits.untrustedPairsMax
}

/** Appends a pair to the linked list of one side of a token. */
function appendToSide(
  tokens: RowTable,
  tokenRow: number,
  side: PairSide,
  pairs: RowTable,
  row: number,
): void {
  tokens.save(tokenRow, tokenPart.facts)
  const token = tokens.page(tokenRow)
  const at = tokens.at(tokenRow)
  const tail = token[at + side.tail]!
  if (tail === 0) token[at + side.head] = row
  else {
    pairs.save(tail, pairPart.facts)
    const before = pairs.page(tail)
    before[pairs.at(tail) + side.next] = row
    pairs.page(row)[pairs.at(row) + side.place] = before[pairs.at(tail) + side.place]! + 1
  }
  token[at + side.tail] = row
}
