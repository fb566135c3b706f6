import assert from 'node:assert'
import { decodeBlockColumn } from '../model/block.ts'
import type { PairRecord } from '../model/pair.ts'
import type { NewestTrade, PairMarket, PairState, TokenTvl } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { readQuoteRate, readTargetPrice } from './prices/currentPrice.ts'
import type { SideDepths } from './prices/pairDepths.ts'
import { areReservesKnown, reserveKind } from './prices/reserves.ts'
import { scaleByTen } from './tables/bigWords.ts'
import { largestIndexes } from './tables/largestIndexes.ts'
import { hasTvl, pairColumn as P, token0Of, token1Of } from './tables/pairTable.ts'
import type { RowTable } from './tables/rowTable.ts'
import { tokenColumn as T } from './tables/tokenTable.ts'

export const daySeconds = 86_400

/** Prices of a pair's two tokens by its own price and the newest rates; 0 if unknown. */
type PairPrices = { usd0: number; usd1: number; native0: number; native1: number }

function readPairPrices(state: MarketState, pairRow: number): PairPrices {
  const { pairs } = state
  const quote = readQuoteRate(state, pairRow)
  const target = readTargetPrice(state, pairRow, quote)
  return pairs.page(pairRow)[pairs.at(pairRow) + P.targetSide] === 0
    ? { usd0: target.usd, usd1: quote.usd, native0: target.native, native1: quote.native }
    : { usd0: quote.usd, usd1: target.usd, native0: quote.native, native1: target.native }
}

/**
 * TVL of a pair; 0 if it is not trusted, because its creator may report any reserves. The creator
 * of a token could do the same in a real pool, so values above all money count as 0.
 */
export function readPairTvlUsd(state: MarketState, pairId: number): number {
  const { pairs, catalog, limits } = state
  const page = pairs.page(pairId + 1)
  const at = pairs.at(pairId + 1)
  if (!hasTvl(page[at + P.flags]!)) return 0
  const token0Id = token0Of(page, at)
  const token1Id = token1Of(page, at)
  const { usd0, usd1 } = readPairPrices(state, pairId + 1)
  const amount0 = scaleByTen(page[at + P.reserve0]!, -catalog.decimals(token0Id))
  const amount1 = scaleByTen(page[at + P.reserve1]!, -catalog.decimals(token1Id))
  const usd = amount0 * usd0 + amount1 * usd1
  return usd <= limits.worthUsdMax ? usd : 0
}

/**
 * False if the pair's TVL is 0 because its reserves are unknown. True if the TVL is 0 because the
 * pair is not trusted.
 */
export function isPairTvlKnown(state: MarketState, pairId: number): boolean {
  const { pairs } = state
  const page = pairs.page(pairId + 1)
  const at = pairs.at(pairId + 1)
  return !hasTvl(page[at + P.flags]!) || areReservesKnown(state, page, at, pairId)
}

export function readPairRecord(state: MarketState, pairId: number): PairRecord {
  return state.catalog.pair(pairId)
}

export function readPairNewestTrade({ catalog, pairs }: MarketState, pairId: number): NewestTrade {
  assert(pairId < catalog.pairCount, 'the pair is known')
  const page = pairs.page(pairId + 1)
  const at = pairs.at(pairId + 1)
  return {
    lastTradeAtS: page[at + P.lastTradeAtS]!,
    lastTradeBlock: decodeBlockColumn(page[at + P.tradedBlock]!),
  }
}

/**
 * USD price of a row at the start of the day of `nowS`. A row without a trade on that day opened at
 * its last close.
 */
export function readDayOpenUsd(rows: RowTable, row: number, nowS: number): number | null {
  const page = rows.page(row)
  const at = rows.at(row)
  const lastDay = Math.floor(page[at + P.lastTradeAtS]! / daySeconds)
  const isToday = lastDay === Math.floor(nowS / daySeconds)
  return page[at + (isToday ? P.dayOpenUsd : P.closeUsd)]! || null
}

export function readPairState(state: MarketState, pairId: number): PairState {
  // Object.assign instead of a spread: V8 copies a spread of this many fields slowly and leaves
  // garbage in the old generation.
  return Object.assign(readPairMarket(state, pairId), {
    initReserve0: state.reserves.get(pairId + 1, reserveKind.initReserve0),
    initReserve1: state.reserves.get(pairId + 1, reserveKind.initReserve1),
  })
}

export function readPairMarket(state: MarketState, pairId: number): PairMarket {
  const { pairs } = state
  const record = readPairRecord(state, pairId)
  const row = pairId + 1
  const page = pairs.page(row)
  const at = pairs.at(row)
  const prices = readPairPrices(state, row)
  return {
    record,
    targetTokenId: page[at + P.targetToken]!,
    reserve0: state.reserves.get(row, reserveKind.reserve0),
    reserve1: state.reserves.get(row, reserveKind.reserve1),
    areReservesKnown: areReservesKnown(state, page, at, pairId),
    priceRaw: page[at + P.priceRaw]!,
    price0Usd: prices.usd0 || null,
    price1Usd: prices.usd1 || null,
    price0Native: prices.native0 || null,
    price1Native: prices.native1 || null,
    tvlUsd: readPairTvlUsd(state, pairId),
    athUsd: page[at + P.athUsd]! || null,
    firstTradeAtS: page[at + P.firstTradeAtS]!,
    firstTradeBlock: page[at + P.firstTradeBlock]!,
    firstTradeSwaps: page[at + P.firstTradeSwaps]!,
    lastTradeAtS: page[at + P.lastTradeAtS]!,
    updatedAtS: page[at + P.updatedAtS]!,
  }
}

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
