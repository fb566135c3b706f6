import assert from 'node:assert'
import { decodeBlockColumn } from '../model/block.ts'
import type { TokenRecord } from '../model/token.ts'
import type {
  MarketReads,
  SearchMatches,
  TokenFacts,
  TokenPrice,
  TokenValue,
} from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import {
  daySeconds,
  readDayOpenUsd,
  readPairTvlUsd,
  readTokenPairs,
  readTokenTvl,
} from './pairReads.ts'
import { readRate, readTokenPrice } from './prices/currentPrice.ts'
import { amountColumn as A } from './records/supplies.ts'
import { currentPriceRow, readTokenAthUsd } from './series/seriesReads.ts'
import { scaleByTen } from './tables/bigWords.ts'
import { largestIndexes } from './tables/largestIndexes.ts'
import { pairColumn as P } from './tables/pairTable.ts'
import { tokenColumn as T } from './tables/tokenTable.ts'

type TokenReads = Pick<
  MarketReads,
  | 'tokenState'
  | 'tokenFacts'
  | 'tokenRecord'
  | 'tokenSupply'
  | 'tokenRecordRevision'
  | 'tokenSupplyRevision'
  | 'tokenWorth'
  | 'tokenPairs'
  | 'tokenTvl'
  | 'tokenDayOpenUsd'
  | 'tokenActivity'
  | 'mainPairOf'
  | 'launchOf'
  | 'search'
>

export function createTokenReads(state: MarketState): TokenReads {
  const { catalog, launches } = state
  const platformOf = (pairId: number) => catalog.platform(pairId) ?? ''

  const tokenRecord = (tokenId: number): TokenRecord => catalog.token(tokenId)

  const rateUsdOf = (tokenId: number) => readRate(state, tokenId).usd
  const tvlOf = (tokenId: number) => readTokenTvl(state, tokenId, rateUsdOf)

  function mainPairOf(tokenId: number): number | null {
    const main = state.series.mainPairOf(tokenId)
    return main === 0 ? null : main - 1
  }

  function tokenFacts(tokenId: number): TokenFacts {
    const record = tokenRecord(tokenId)
    const supply = catalog.supplies.get(tokenId)
    const page = state.tokens.page(tokenId + 1)
    const at = state.tokens.at(tokenId + 1)
    const price = readRoutedPrice(state, tokenId)
    const main = state.series.mainPairOf(tokenId)
    const caps = marketCaps(state, tokenId, price?.usd ?? 0)
    const launch = launches.stateOf(tokenId, platformOf)
    return {
      record,
      price,
      mainPairId: main === 0 ? null : main - 1,
      supply,
      fdvUsd: caps.fdvUsd,
      marketCapUsd: caps.marketCapUsd,
      isImplausible: caps.isImplausible,
      isSupplyKnown: caps.isSupplyKnown,
      launchPriceUsd: page[at + T.launchPriceUsd]! || null,
      athUsd: readTokenAthUsd(state, tokenId),
      launchedAtS: page[at + T.launchedAtS]!,
      createdAtS: launch?.createdAtS || catalog.tokenCreation(tokenId) || 0,
      launch,
      updatedAtS: page[at + T.updatedAtS]!,
    }
  }

  return {
    tokenRecord,
    tokenSupply: (tokenId) => catalog.supplies.get(tokenId),
    tokenRecordRevision: (tokenId) => catalog.tokenRevisions.get(tokenId),
    tokenSupplyRevision: (tokenId) => catalog.supplies.revisions.get(tokenId),
    tokenFacts,
    tokenState(tokenId) {
      const facts = tokenFacts(tokenId)
      const routePairIds: number[] = []
      priceRoute(state, tokenId, routePairIds)
      return {
        ...facts,
        pairIds: readTokenPairs(state, tokenId, state.limits.tokenPairsReadMax),
        tvlUsd: tvlOf(tokenId).usd,
        price: facts.price && { ...facts.price, routePairIds },
      }
    },
    tokenWorth: (tokenId) => readTokenValue(state, tokenId),
    tokenPairs: (tokenId, max) => readTokenPairs(state, tokenId, max),
    tokenTvl: tvlOf,
    tokenDayOpenUsd: (tokenId, nowS) => readTokenDayOpenUsd(state, tokenId, nowS),
    tokenActivity(tokenId) {
      if (tokenId >= catalog.tokenCount) assert.fail('the token is known')
      const page = state.tokens.page(tokenId + 1)
      const at = state.tokens.at(tokenId + 1)
      return {
        lastTradeAtS: page[at + T.lastTradeAtS]!,
        lastTradeBlock: decodeBlockColumn(page[at + T.tradedBlock]!),
      }
    },
    mainPairOf,
    launchOf: (tokenId) => launches.stateOf(tokenId, platformOf),
    search: (keyword, limit) => searchTokens(state, keyword, limit),
  }
}

function readTokenValue(state: MarketState, tokenId: number): TokenValue {
  const { catalog, tokens } = state
  const { supplies } = catalog
  assert(tokenId < catalog.tokenCount, 'the token is known')
  const page = tokens.page(tokenId + 1)
  const at = tokens.at(tokenId + 1)
  const main = state.series.mainPairOf(tokenId)
  const { usd, native } = readTokenPrice(state, tokenId)
  const caps = marketCaps(state, tokenId, usd)
  const amountsAt = supplies.amountsAt(tokenId)
  return {
    priceUsd: usd === 0 && native === 0 ? null : usd,
    mainPairId: main === 0 ? null : main - 1,
    fdvUsd: caps.fdvUsd,
    marketCapUsd: caps.marketCapUsd,
    isImplausible: caps.isImplausible,
    isSupplyKnown: caps.isSupplyKnown,
    holders: amountsAt < 0 ? 0 : supplies.amounts.rows[amountsAt + A.holders]!,
    updatedAtS: page[at + T.updatedAtS]!,
  }
}

function readTokenDayOpenUsd(state: MarketState, tokenId: number, nowS: number): number | null {
  const { quoteSides } = state.windows
  const atS = Math.max(nowS, state.timeS)
  const base = currentPriceRow(state, tokenId)
  if (base !== null) {
    const { rows, row, curve, firstTradeAtS } = base
    const isFromCurve = curve !== 0 && (firstTradeAtS === 0 || isSameDay(firstTradeAtS, atS))
    const ofCurve = isFromCurve ? readDayOpenUsd(state.pairs, curve, atS) : null
    return ofCurve ?? readDayOpenUsd(rows, row, atS)
  }
  const side = quoteSides.find(tokenId)
  return side === 0 ? null : readDayOpenUsd(quoteSides.rows, side, atS)
}

function isSameDay(aS: number, bS: number): boolean {
  return Math.floor(aS / daySeconds) === Math.floor(bS / daySeconds)
}

function searchTokens(state: MarketState, keyword: string, limit: number): SearchMatches {
  const { catalog, limits } = state
  assert(catalog.search !== null, 'words are indexed')
  const { exact, prefix, inside } = catalog.search.find(keyword, catalog, {
    max: limits.searchCandidatesMax,
    workMax: limits.searchWorkMax,
    wanted: limit,
  })
  let left = limit
  const best = (tokenIds: Uint32Array) => {
    const kept = deepestFirst(state, tokenIds, left)
    left -= kept.length
    return kept
  }
  return { exact: best(exact), prefix: best(prefix), inside: best(inside) }
}

/**
 * Sorts found tokens by the depth of their main pair, then by age, oldest first, and returns at
 * most `max`. Names are free to copy, liquidity is not.
 */
function deepestFirst(state: MarketState, tokenIds: Uint32Array, max: number): number[] {
  const { tokens, mainPairs } = state
  const usd = new Float64Array(tokenIds.length)
  // Rows of tokens are far apart in memory. A loop that only reads lets the CPU overlap its cache
  // misses.
  for (let place = 0; place < usd.length; place += 1) {
    const row = tokenIds[place]! + 1
    usd[place] = tokens.page(row)[tokens.at(row) + T.mainPair]!
  }
  for (let place = 0; place < usd.length; place += 1) {
    const main = usd[place]!
    if (main !== 0) usd[place] = mainPairs.quoteSideUsd(main)
  }
  const idAt = (place: number) => tokenIds[place]!
  return largestIndexes(usd, max, idAt).map(idAt)
}

function readRoutedPrice(state: MarketState, tokenId: number): TokenFacts['price'] {
  const { usd, native } = readTokenPrice(state, tokenId)
  if (usd === 0 && native === 0) return null
  const { routeLiquidityUsd, atS } = priceRoute(state, tokenId, null)
  return { usd, native, routeLiquidityUsd, atS }
}

/**
 * Follows main pairs from a token to a stablecoin or the native coin. Each step leads to a more
 * preferred quote asset.
 */
function priceRoute(
  state: MarketState,
  tokenId: number,
  routePairIds: number[] | null,
): Pick<TokenPrice, 'routeLiquidityUsd' | 'atS'> {
  const { catalog, rates, profile } = state
  let routeLiquidityUsd = Number.POSITIVE_INFINITY
  // A stablecoin is priced by definition, without a pool, and so has no age.
  let atS = state.timeS
  for (let token = tokenId; ; ) {
    const quoteIndex = catalog.quoteIndex(token)
    if (quoteIndex >= 0 && profile.stables.includes(catalog.quotes[quoteIndex]!)) break
    const main = state.tokens.page(token + 1)[state.tokens.at(token + 1) + T.mainPair]!
    // The native coin itself is priced by its main pair; as a quote asset it is priced by the mean
    // of its pools.
    const isRate = token !== tokenId || main === 0
    if (isRate && rates.isNative(quoteIndex)) {
      if (rates.nativeLiquidityUsd > 0) {
        routePairIds?.push(...catalog.nativePools.filter((pairId) => rates.pricesNative(pairId)))
        routeLiquidityUsd = Math.min(routeLiquidityUsd, rates.nativeLiquidityUsd)
      }
      // Without a USD price of the native coin the token is priced in the native coin only, so that
      // rate's age does not count.
      if (rates.nativeUsd !== 0) atS = Math.min(atS, rates.nativeAtS)
      break
    }
    if (main === 0) break
    routePairIds?.push(main - 1)
    routeLiquidityUsd = Math.min(routeLiquidityUsd, readPairTvlUsd(state, main - 1))
    const page = state.pairs.page(main)
    const at = state.pairs.at(main)
    atS = Math.min(atS, page[at + P.updatedAtS]!)
    token = page[at + P.quoteToken]!
  }
  return {
    routeLiquidityUsd: routeLiquidityUsd === Number.POSITIVE_INFINITY ? 0 : routeLiquidityUsd,
    atS,
  }
}

type Caps = Pick<TokenValue, 'fdvUsd' | 'marketCapUsd' | 'isImplausible' | 'isSupplyKnown'>
const noCaps: Caps = { fdvUsd: 0, marketCapUsd: 0, isImplausible: false, isSupplyKnown: false }
const implausibleCaps: Caps = { ...noCaps, isImplausible: true, isSupplyKnown: true }

function marketCaps({ catalog, limits }: MarketState, tokenId: number, priceUsd: number): Caps {
  const { supplies } = catalog
  const at = supplies.amountsAt(tokenId)
  if (at < 0) return noCaps
  const { rows } = supplies.amounts
  if (rows[at + A.isKnown] === 0) return noCaps
  const decimals = catalog.decimals(tokenId)
  const fdvUsd = scaleByTen(rows[at + A.issued]!, -decimals) * priceUsd
  if (!(fdvUsd <= limits.worthUsdMax)) return implausibleCaps
  const marketCapUsd = scaleByTen(rows[at + A.circulating]!, -decimals) * priceUsd
  return { fdvUsd, marketCapUsd, isImplausible: false, isSupplyKnown: true }
}
