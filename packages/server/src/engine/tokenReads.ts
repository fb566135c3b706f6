import assert from 'node:assert'
import type { TokenSupply } from '../model/token.ts'
import type { TokenPrice, TokenState } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { readPairTvlUsd } from './pairReads.ts'
import { pairColumn as P, pairFlag } from './pairTable.ts'
import { scaleByTen } from './powersOfTen.ts'
import { tokenColumn as T } from './tokenTable.ts'

export type TokenReads = {
  tokenState(tokenId: number): TokenState
  tokenActivity(tokenId: number): { lastTradeAtS: number }
  search(keyword: string, limit: number): readonly number[]
}

export function createTokenReads(state: MarketState): TokenReads {
  const { catalog, launches } = state
  return {
    tokenState(tokenId) {
      const record = catalog.tokens.current[tokenId]
      assert(record, 'the token is known')
      const supply = catalog.supplies.current[tokenId]!
      const page = state.tokens.page(tokenId + 1)
      const at = state.tokens.at(tokenId + 1)
      const price = readTokenPrice(state, tokenId)
      const main = page[at + T.mainPair]!
      const { pairIds, tvlUsd } = readTokenPairs(state, tokenId, main - 1)
      return {
        record,
        price,
        mainPairId: main === 0 ? null : main - 1,
        pairIds,
        tvlUsd,
        supply,
        ...capsOf(supply, record.decimals, price?.usd ?? 0),
        launchPriceUsd: page[at + T.launchPriceUsd]! || null,
        launchedAtS: page[at + T.launchedAtS]!,
        launch: launches.stateOf(tokenId, (pairId) => catalog.pairs[pairId]!.platform ?? ''),
        updatedAtS: page[at + T.updatedAtS]!,
      }
    },
    tokenActivity(tokenId) {
      assert(tokenId < catalog.tokens.current.length, 'the token is known')
      const page = state.tokens.page(tokenId + 1)
      return { lastTradeAtS: page[state.tokens.at(tokenId + 1) + T.lastTradeAtS]! }
    },
    search(keyword, limit) {
      const { exact, prefix, inside } = catalog.search.find(
        keyword,
        state.limits.searchCandidatesMax,
        (id) => catalog.tokens.current[id]!,
        limit,
      )
      const ranked: number[] = []
      for (const matches of [exact, prefix, inside])
        if (ranked.length < limit) ranked.push(...byWorth(state, matches))
      return ranked.slice(0, limit)
    },
  }
}

/** Deepest main pair first, then oldest: a name is free, liquidity is not. */
function byWorth(state: MarketState, tokenIds: readonly number[]): number[] {
  const worth = tokenIds.map((tokenId) => {
    const main = state.tokens.page(tokenId + 1)[state.tokens.at(tokenId + 1) + T.mainPair]!
    return { tokenId, usd: main === 0 ? 0 : state.mainPairs.quoteSideUsd(main) }
  })
  worth.sort((a, b) => b.usd - a.usd || a.tokenId - b.tokenId)
  return worth.map(({ tokenId }) => tokenId)
}

function readTokenPrice(state: MarketState, tokenId: number): TokenPrice | null {
  const { catalog, rates } = state
  const quoteIndex = catalog.quoteIndex(tokenId)
  if (quoteIndex >= 0) {
    const usd = rates.quoteUsd(quoteIndex)
    const native = rates.quoteNative(quoteIndex)
    if (usd === 0 && native === 0) return null
    return { usd, native, ...routeOf(state, tokenId) }
  }
  const main = state.tokens.page(tokenId + 1)[state.tokens.at(tokenId + 1) + T.mainPair]!
  if (main === 0) return null
  const page = state.pairs.page(main)
  const at = state.pairs.at(main)
  const usd = page[at + P.price]! * rates.quoteUsd(page[at + P.quoteIndex]!)
  const native = page[at + P.price]! * rates.quoteNative(page[at + P.quoteIndex]!)
  if (usd === 0 && native === 0) return null
  return { usd, native, ...routeOf(state, tokenId) }
}

/** Walks main pairs until a stablecoin or the native token; each step goes up the list of quotes. */
function routeOf(state: MarketState, tokenId: number): Omit<TokenPrice, 'usd' | 'native'> {
  const { catalog, rates, profile } = state
  const routePairIds: number[] = []
  let routeLiquidityUsd = Number.POSITIVE_INFINITY
  let atS = 0
  for (let token = tokenId; ; ) {
    const quoteIndex = catalog.quoteIndex(token)
    if (quoteIndex >= 0 && profile.stables.includes(catalog.quotes[quoteIndex]!)) break
    if (rates.isNative(quoteIndex)) {
      if (rates.nativeLiquidityUsd > 0) {
        routePairIds.push(...catalog.nativePools.filter((pairId) => rates.pricesNative(pairId)))
        routeLiquidityUsd = Math.min(routeLiquidityUsd, rates.nativeLiquidityUsd)
      }
      atS = Math.max(atS, rates.nativeAtS)
      break
    }
    const main = state.tokens.page(token + 1)[state.tokens.at(token + 1) + T.mainPair]!
    if (main === 0) break
    routePairIds.push(main - 1)
    routeLiquidityUsd = Math.min(routeLiquidityUsd, readPairTvlUsd(state, main - 1))
    const page = state.pairs.page(main)
    const at = state.pairs.at(main)
    atS = Math.max(atS, page[at + P.updatedAtS]!)
    token = page[at + P.quoteToken]!
  }
  // A stablecoin is priced by definition: no pool stands behind it.
  return {
    routePairIds,
    routeLiquidityUsd: routeLiquidityUsd === Number.POSITIVE_INFINITY ? 0 : routeLiquidityUsd,
    atS: atS === 0 ? state.timeS : atS,
  }
}

function readTokenPairs(
  state: MarketState,
  tokenId: number,
  mainPairId: number,
): { pairIds: number[]; tvlUsd: number } {
  const { tokens, pairs, limits } = state
  const token = tokens.page(tokenId + 1)
  const tokenAt = tokens.at(tokenId + 1)
  const found: { pairId: number; tvlUsd: number }[] = []
  let tvlUsd = 0
  const collect = (head: number, nextColumn: number) => {
    for (let row = head; row !== 0 && found.length < limits.tokenPairsReadMax; ) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      const isTrusted = (page[at + P.flags]! & pairFlag.isTrusted) !== 0
      const pairTvlUsd = isTrusted ? readPairTvlUsd(state, row - 1) : 0
      tvlUsd += pairTvlUsd
      found.push({ pairId: row - 1, tvlUsd: pairTvlUsd })
      row = page[at + nextColumn]!
    }
  }
  collect(token[tokenAt + T.targetHead]!, P.nextTarget)
  collect(token[tokenAt + T.quoteHead]!, P.nextQuote)
  const rank = (pairId: number) => (pairId === mainPairId ? 0 : 1)
  found.sort(
    (a, b) => rank(a.pairId) - rank(b.pairId) || b.tvlUsd - a.tvlUsd || a.pairId - b.pairId,
  )
  return { pairIds: found.map(({ pairId }) => pairId), tvlUsd }
}

function capsOf(
  supply: TokenSupply | null,
  decimals: number,
  priceUsd: number,
): { fdvUsd: number; marketCapUsd: number } {
  if (supply === null) return { fdvUsd: 0, marketCapUsd: 0 }
  const issued = supply.total - supply.burnt - supply.other
  return {
    fdvUsd: scaleByTen(Number(issued), -decimals) * priceUsd,
    marketCapUsd: scaleByTen(Number(issued - supply.locked), -decimals) * priceUsd,
  }
}
