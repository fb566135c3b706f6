import { blockNumberBelow } from '../../model/block.ts'
import { tokenOfSeriesId, tokenSeriesId } from '../../model/klines/endedKlines.ts'
import type { UsdNativePrice } from '../../model/price.ts'
import type { TokenKlines, TokenKlinesPart } from '../marketReads.ts'
import type { MarketState } from '../marketState.ts'
import { pairColumn as P, pairFlag, seriesColumn as S } from '../tables/pairTable.ts'
import type { RowTable } from '../tables/rowTable.ts'
import { tokenColumn as T } from '../tables/tokenTable.ts'

/**
 * Maximum number of main-pair periods that are returned for a token, newest first. Most tokens have
 * one main pair, few had more than two.
 */
const periodsReadMax = 20

/** Location of a token's current prices. */
type CurrentPriceRow = {
  /** The table with the prices: pairs or token series, whose rows share a layout. */
  rows: RowTable
  row: number
  /** Cache key, unique among all pairs and series; for a pair it is the row number. */
  key: number
  /**
   * Row of the token's launch-curve pair if its prices precede the row's; 0 otherwise. Older
   * versions did not record main-pair switches: prices of the curve then count until the first
   * trade of the next pair.
   */
  curve: number
  /** Time of the first trade of the pair that the row starts with. */
  firstTradeAtS: number
}

// Cache keys of series are below those of quote sides, which are negative row numbers.
const seriesKeyBase = -(2 ** 32)

/** Returns null if the token is not the target of its main pair, or has none. */
export function currentPriceRow(state: MarketState, tokenId: number): CurrentPriceRow | null {
  const { tokens, pairs, series } = state
  const token = tokens.page(tokenId + 1)
  const at = tokens.at(tokenId + 1)
  const main = token[at + T.mainPair]!
  if (main === 0) return null
  const own = token[at + T.series]!
  const pending = own === 0 ? main : series.pendingSource(own)
  const first = own === 0 ? main : series.rows.page(own)[series.rows.at(own) + S.source]!
  const curve =
    token[at + T.launchRow] === 0 || first === 0 ? 0 : curveBefore(state, tokenId, first)
  const firstTradeAtS = first === 0 ? 0 : pairs.page(first)[pairs.at(first) + P.firstTradeAtS]!
  return pending === 0
    ? { rows: series.rows, row: own, key: seriesKeyBase - own, curve, firstTradeAtS }
    : { rows: pairs, row: pending, key: pending, curve, firstTradeAtS }
}

/** Highest USD price of a token across all its main pairs; null without one. */
export function readTokenAthUsd(state: MarketState, tokenId: number): number | null {
  const { tokens, series, pairs } = state
  const base = currentPriceRow(state, tokenId)
  if (base !== null) {
    const { rows, row, curve } = base
    const ofCurve = curve === 0 ? 0 : pairs.page(curve)[pairs.at(curve) + P.athUsd]!
    return Math.max(ofCurve, rows.page(row)[rows.at(row) + P.athUsd]!) || null
  }
  // A token that reaches this line is a quote asset that no pair has as its target.
  const own = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.series]!
  return own === 0 ? null : series.rows.page(own)[series.rows.at(own) + P.athUsd]! || null
}

/** First row of the open klines of a pair, or of a token's own series; 0 if none is open. */
export function firstKlineRow({ pairs, tokens, series }: MarketState, id: number): number {
  if (id >= 0) return pairs.page(id + 1)[pairs.at(id + 1) + P.kline]!
  const tokenRow = tokenOfSeriesId(id) + 1
  const row = tokens.page(tokenRow)[tokens.at(tokenRow) + T.series]!
  return row === 0 ? 0 : series.rows.page(row)[series.rows.at(row) + P.kline]!
}

/** Price of the last trade of a pair, or of a token's own series; 0 without a trade. */
export function readLastClose({ pairs, tokens, series }: MarketState, id: number): UsdNativePrice {
  const rows = id >= 0 ? pairs : series.rows
  const tokenRow = tokenOfSeriesId(id) + 1
  const row = id >= 0 ? id + 1 : tokens.page(tokenRow)[tokens.at(tokenRow) + T.series]!
  if (row === 0) return { usd: 0, native: 0 }
  const page = rows.page(row)
  const at = rows.at(row)
  return { usd: page[at + P.closeUsd]!, native: page[at + P.closeNative]! }
}

export function readTokenSeries(state: MarketState, tokenId: number): TokenKlines | null {
  const main = state.series.mainPairOf(tokenId)
  if (main === 0) return null
  const { tokens, pairs, series, head, height } = state
  const own = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.series]!
  const sinceS = own === 0 ? 0 : series.rows.page(own)[series.rows.at(own) + S.sinceS]!
  const source = own === 0 ? main : series.rows.page(own)[series.rows.at(own) + S.source]!
  const base = currentPriceRow(state, tokenId)
  const curve = base?.curve ?? 0
  const firstTradeAtS = (row: number) => pairs.page(row)[pairs.at(row) + P.firstTradeAtS]!
  const parts: TokenKlinesPart[] = []
  if (curve !== 0) parts.push({ id: curve - 1, fromS: 0, startsWithWholeBucket: true })
  if (source !== 0 && (curve === 0 || firstTradeAtS(source) !== 0))
    parts.push({
      id: source - 1,
      fromS: curve === 0 ? 0 : firstTradeAtS(source),
      startsWithWholeBucket: curve === 0,
    })
  if (own !== 0 && (source === 0 || sinceS !== 0))
    parts.push({ id: tokenSeriesId(tokenId), fromS: sinceS, startsWithWholeBucket: true })
  const numberOf = (at: number) =>
    at === 0 || head === null ? 0 : blockNumberBelow(head.number, height - at)
  const periods = own === 0 ? [] : series.periodsOf(own, periodsReadMax)
  return {
    mainPairId: main - 1,
    parts,
    exactFromS: exactFromS(state, tokenId, source),
    // A new main pair may not have traded yet. If none of these times is known, the token is the
    // quote of its main pair, and its own klines start there.
    firstTradeAtS:
      earliestS([firstTradeAtS(curve), firstTradeAtS(source), sinceS]) || firstTradeAtS(main),
    periods: periods.map(({ pairId, fromHeight }) => ({
      pairId,
      fromBlock: numberOf(fromHeight),
    })),
  }
}

/**
 * Time before which main pairs may be incomplete; 0 if all are known. Older versions did not record
 * which of several pairs was the main pair, and kept no klines for quote assets.
 */
function exactFromS(state: MarketState, tokenId: number, source: number): number {
  const { mainPairsFromS, pairs, tokens } = state
  if (mainPairsFromS === 0) return 0
  const { [tokens.at(tokenId + 1) + T.targetCount]: count } = tokens.page(tokenId + 1)
  if (source === 0) return mainPairsFromS
  const firstAtS = pairs.page(source)[pairs.at(source) + P.firstTradeAtS]!
  return count! > 1 && firstAtS !== 0 && firstAtS <= mainPairsFromS ? mainPairsFromS : 0
}

/** Row of the token's trusted launch curve if it traded before the first main pair; 0 otherwise. */
function curveBefore({ launches, pairs }: MarketState, tokenId: number, first: number): number {
  const curve = launches.curveOf(tokenId) + 1
  if (curve === first) return 0
  const isTrusted = pairs.page(curve)[pairs.at(curve) + P.flags]! & pairFlag.isTrusted
  const firstTradeAtS = pairs.page(curve)[pairs.at(curve) + P.firstTradeAtS]!
  const takenOverAtS = pairs.page(first)[pairs.at(first) + P.firstTradeAtS]!
  const isEarlier = firstTradeAtS !== 0 && (takenOverAtS === 0 || firstTradeAtS <= takenOverAtS)
  return isTrusted && isEarlier ? curve : 0
}

/** The earliest of the times; 0 if none is known. */
function earliestS(times: readonly number[]): number {
  const known = times.filter((timeS) => timeS !== 0)
  return known.length === 0 ? 0 : Math.min(...known)
}
