import { type LaunchState, windowNames } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { finite, mainPairTvlUsd } from '../rows/tokenRow.ts'

const windows = ['5m', '1h', '4h', '24h'] as const
const daySeconds = 86_400
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
] as const
const ofWindows = windows.flatMap(
  (name) =>
    [
      { name: `volume_${name}`, description: `USD traded in ${name}.` },
      { name: `change_${name}`, description: `Change of its price in ${name}, percent.` },
      { name: `trades_${name}`, description: `Trades in ${name}.` },
    ] as const,
)
const ofDay = [{ name: 'makers_24h', description: 'Wallets that traded it in 24h.' }] as const

/** Numbers that tokens are selected and ordered by. The position is the column. */
export const measures = [...ofNow, ...ofWindows, ...ofDay] as const

export type MeasureName = (typeof measures)[number]['name']

export const measureNames: readonly MeasureName[] = measures.map(({ name }) => name)

/** Columns that are no numbers to be ordered by. */
export const codeColumns = {
  launch: measures.length,
  platform: measures.length + 1,
  venue: measures.length + 2,
  isHoneypot: measures.length + 3,
}
export const columnCount = measures.length + 4

/** What every block may change is in the first columns and in those of codes, trading between them. */
export const tradingColumns = { from: ofNow.length, to: measures.length }

export const launchStates: readonly LaunchState['state'][] = ['in', 'almost', 'out']

/** Words that are compared as numbers: each has its place in the order in which they were seen. */
export class WordCodes {
  private readonly codes = new Map<string, number>()

  /** Of a word that may be new. */
  of(word: string): number {
    const known = this.codes.get(word)
    if (known !== undefined) return known
    this.codes.set(word, this.codes.size)
    return this.codes.size - 1
  }

  /** Undefined: no token has it. */
  find(word: string): number | undefined {
    return this.codes.get(word)
  }
}

/**
 * What every block may change. NaN: there is none or it is not known, so that the token is neither selected nor ordered by it.
 * False: the token has no price, and all is NaN.
 */
export function readNow(
  chain: GatewayChain,
  tokenId: number,
  words: WordCodes,
  to: Float64Array,
): boolean {
  const { reads, risk } = chain
  const { priceUsd, mainPairId, marketCapUsd, fdvUsd, holders } = reads.tokenWorth(tokenId)
  to.fill(Number.NaN)
  if (priceUsd === null) return false
  const launch = reads.launchOf(tokenId)
  const bornAtS = launch?.createdAtS || reads.tokenFacts(tokenId).launchedAtS
  const known = risk.known(reads.tokenRecord(tokenId).address)
  if (bornAtS > 0) to[0] = bornAtS
  to[1] = finite(priceUsd)
  to[2] = mainPairTvlUsd(chain, mainPairId)
  to[3] = finite(marketCapUsd)
  to[4] = finite(fdvUsd)
  to[5] = holders
  if (launch !== null) {
    to[6] = launch.filledPpm / 1_000_000
    to[codeColumns.launch] = launchStates.indexOf(launch.state)
    to[codeColumns.platform] = words.of(launch.platform)
  }
  if (known !== null) to[7] = known.score
  if (mainPairId !== null) to[codeColumns.venue] = words.of(reads.pairRecord(mainPairId).amm)
  to[codeColumns.isHoneypot] = known?.isHoneypot === true ? 1 : 0
  return true
}

/** Its trading. Gives when that changes though nobody trades. */
export function readTrading(
  { reads }: GatewayChain,
  tokenId: number,
  nowS: number,
  to: Float64Array,
): number {
  const { from } = tradingColumns
  if (reads.tokenActivity(tokenId).lastTradeAtS <= nowS - daySeconds) {
    to.fill(0, from, tradingColumns.to)
    return Number.POSITIVE_INFINITY
  }
  let changesAtS = Number.POSITIVE_INFINITY
  for (const [at, name] of windows.entries()) {
    const trading = reads.tokenTrading(tokenId, windowNames.indexOf(name), nowS)
    const column = from + 3 * at
    to[column] = Number(trading.buyVolumeUsdE8 + trading.sellVolumeUsdE8) / 1e8
    to[column + 1] = finite(trading.changePercent ?? 0)
    to[column + 2] = trading.buyCount + trading.sellCount
    changesAtS = Math.min(changesAtS, trading.changesAtS)
  }
  to[tradingColumns.to - 1] = reads.tokenWindow(tokenId, dayWindow, nowS).makers
  return changesAtS
}
