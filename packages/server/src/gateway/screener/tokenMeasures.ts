import { type LaunchState, windowNames } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { finite, mainPairTvlUsd } from '../rows/tokenRow.ts'
import { type BoardSubject, fillTrading, tradingMeasures, type WordCodes } from './boardSubject.ts'

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
/** Numbers that tokens are selected and ordered by. The position is the column. */
export const measures = [...ofNow, ...tradingMeasures] as const

export type MeasureName = (typeof measures)[number]['name']

export const measureNames: readonly MeasureName[] = measures.map(({ name }) => name)

const columns = new Map<string, number>(measures.map(({ name }, column) => [name, column]))

export const tokenColumn = (name: MeasureName): number => columns.get(name)!

/** Columns that are no numbers to be ordered by. */
export const codeColumns = {
  launch: measures.length,
  platform: measures.length + 1,
  venue: measures.length + 2,
  isHoneypot: measures.length + 3,
}

export const launchStates: readonly LaunchState['state'][] = ['in', 'almost', 'out']

export const tokenSubject: BoardSubject = {
  measures,
  columnCount: measures.length + Object.keys(codeColumns).length,
  tradingColumns: { from: ofNow.length, to: measures.length },
  count: ({ reads }) => reads.tokenCount(),
  lastTradeBlock: ({ reads }, tokenId) => reads.tokenActivity(tokenId).lastTradeBlock,
  readNow,
  readTrading: ({ reads }, tokenId, nowS, to) =>
    fillTrading(
      {
        lastTradeAtS: reads.tokenActivity(tokenId).lastTradeAtS,
        window: (window) => reads.tokenTrading(tokenId, window, nowS),
        makers24h: () => reads.tokenWindow(tokenId, dayWindow, nowS).makers,
      },
      nowS,
      ofNow.length,
      to,
    ),
}

function readNow(
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
  if (mainPairId === null || reads.isPairTvlKnown(mainPairId))
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
