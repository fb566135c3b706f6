import assert from 'node:assert'
import { decodeBlockColumn } from '../model/block.ts'
import type { PairRecord } from '../model/pair.ts'
import type { NewestTrade, PairMarket, PairState } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { readQuoteRate, readTargetPrice } from './prices/currentPrice.ts'
import { areReservesKnown, reserveKind } from './prices/reserves.ts'
import { hasTvl, pairColumn as P, token0Of, token1Of } from './tables/pairTable.ts'
import type { RowTable } from './tables/rowTable.ts'
import { scaleByTen } from './tables/scaleByTen.ts'

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
