import { type LaunchState, type TrendingInputs, windowNames } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { finiteOrZero, mainPairTvlUsd } from '../rows/tokenRow.ts'
import {
  type BoardSubject,
  readTradingMeasures,
  tradingMeasures,
  type WordCodes,
} from './boardSubject.ts'

const dayWindow = windowNames.indexOf('24h')

const ofNow = [
  { name: 'created_at', description: 'Unix time of its launch, or of its first pair.' },
  { name: 'price', description: 'USD.' },
  { name: 'liquidity', description: 'USD in its main pair.' },
  { name: 'market_cap', description: 'USD.' },
  { name: 'fdv', description: 'Fully diluted value, USD.' },
  { name: 'holders', description: 'Holders.' },
  { name: 'progress', description: 'How much of its launch curve is filled, 0 to 1.' },
  {
    name: 'risk_score',
    description: 'Risk of its contract, 0 to 100; of those that were checked.',
  },
  {
    name: 'score',
    description:
      'Trending score: grows with organic volume, traders, price change and youth over 24h.',
  },
] as const
/** Measures of tokens. A measure's index is its column. */
export const tokenMeasures = [...ofNow, ...tradingMeasures] as const

export type TokenMeasureName = (typeof tokenMeasures)[number]['name']

export const tokenMeasureNames: readonly TokenMeasureName[] = tokenMeasures.map(({ name }) => name)

const columns = new Map<string, number>(tokenMeasures.map(({ name }, column) => [name, column]))

export const tokenColumn = (name: TokenMeasureName): number => columns.get(name)!

/**
 * Column of the trending score's part that only trades change. Placed after the trading measures,
 * because it is read with them.
 */
const interest = tokenMeasures.length

/** Token columns that only filters use, not sorting. */
export const tokenFilterColumns = {
  launch: interest + 1,
  platform: interest + 2,
  venue: interest + 3,
  isHoneypot: interest + 4,
  /** Unix seconds of the token's graduation from its launch curve. */
  graduatedAt: interest + 5,
}

/** Column value for tokens that no launch platform created, in place of a launch state. */
export const noLaunchCode = -1
export const launchStates: readonly LaunchState['state'][] = ['in', 'almost', 'out']

export const tokenBoardSubject: BoardSubject = {
  measures: tokenMeasures,
  columnCount: interest + 1 + Object.keys(tokenFilterColumns).length,
  tradingColumns: { from: ofNow.length, to: interest + 1 },
  count: ({ reads }) => reads.tokenCount(),
  lastTradeBlock: ({ reads }, tokenId) => reads.tokenActivity(tokenId).lastTradeBlock,
  readCurrent,
  readTrading,
  scored: { column: tokenColumn('score'), interest, of: trendingScore },
}

function readTrading(
  { reads }: GatewayChain,
  tokenId: number,
  nowS: number,
  to: Float64Array,
): number {
  const trading = {
    lastTradeAtS: reads.tokenActivity(tokenId).lastTradeAtS,
    window: (window: number) => reads.tokenTrading(tokenId, window, nowS),
    day: () => reads.tokenWindow(tokenId, dayWindow, nowS),
  }
  const changesAtS = readTradingMeasures(trading, nowS, ofNow.length, to)
  to[interest] =
    changesAtS === Number.POSITIVE_INFINITY
      ? 0
      : trendingInterest(reads.tokenInterest(tokenId, nowS), to[tokenColumn('change_24h')]!)
  return changesAtS
}

function readCurrent(
  chain: GatewayChain,
  tokenId: number,
  words: WordCodes,
  to: Float64Array,
): boolean {
  const { reads, risk } = chain
  const { priceUsd, mainPairId, marketCapUsd, fdvUsd, holders } = reads.tokenWorth(tokenId)
  const launch = reads.launchOf(tokenId)
  to.fill(Number.NaN)
  const isTraded = reads.tokenActivity(tokenId).lastTradeAtS > 0
  if (priceUsd === null && launch === null && !isTraded) return false
  const bornAtS = launch?.createdAtS || reads.tokenFacts(tokenId).launchedAtS
  const known = risk.known(reads.tokenRecord(tokenId).address)
  if (bornAtS > 0) to[0] = bornAtS
  if (priceUsd !== null) to[1] = finiteOrZero(priceUsd)
  if (mainPairId === null || reads.isPairTvlKnown(mainPairId))
    to[2] = mainPairTvlUsd(chain, mainPairId)
  to[3] = finiteOrZero(marketCapUsd)
  to[4] = finiteOrZero(fdvUsd)
  to[5] = holders
  to[tokenFilterColumns.launch] =
    launch === null ? noLaunchCode : launchStates.indexOf(launch.state)
  if (launch !== null) {
    to[6] = launch.filledPpm / 1_000_000
    to[tokenFilterColumns.platform] = words.codeOf(launch.platform)
    if (launch.graduatedAtS > 0) to[tokenFilterColumns.graduatedAt] = launch.graduatedAtS
  }
  if (known !== null) to[7] = known.score
  if (mainPairId !== null)
    to[tokenFilterColumns.venue] = words.codeOf(reads.pairRecord(mainPairId).amm)
  to[tokenFilterColumns.isHoneypot] = known?.isHoneypot === true ? 1 : 0
  return true
}

const daySeconds = 86_400

/**
 * Returns log2(1 + organic USD volume) x log2(1 + makers) x (1 + change / 2), over 24 hours. The
 * change is limited to -0.5 to 1. The score resists manipulation: organic volume excludes round
 * trips of one wallet, each wallet counts once across all pairs, and volume and wallets count
 * logarithmically. NaN without makers, when only other pairs of the token traded.
 */
export function trendingInterest(
  { organicUsd, makers }: TrendingInputs,
  changePercent: number,
): number {
  if (makers === 0) return Number.NaN
  const change = Math.min(1, Math.max(-0.5, changePercent / 100))
  return Math.log2(1 + organicUsd) * Math.log2(1 + makers) * (1 + change / 2)
}

/**
 * Returns interest x (1 + 1 / (1 + age in days)). A token with unknown age counts as the oldest.
 */
export function trendingScore(interest: number, beganAtS: number, nowS: number): number {
  const ageS = Number.isNaN(beganAtS) ? nowS : Math.max(0, nowS - beganAtS)
  return interest * (1 + 1 / (1 + ageS / daySeconds))
}
