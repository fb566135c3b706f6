import { windowNames } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { optionalTextInput } from '../inputs/inputs.ts'
import { finiteOrZero } from '../rows/tokenRow.ts'
import {
  type BoardSubject,
  readTradingMeasures,
  tradingMeasures,
  type WordCodes,
} from './boardSubject.ts'
import { choiceInput, exactRange, wordRanges } from './screenerInputs.ts'
import type { ScreenerKind } from './screenerKind.ts'

const dayWindow = windowNames.indexOf('24h')

const ofNow = [
  { name: 'created_at', description: 'Unix time of its creation.' },
  { name: 'price', description: 'USD, of its target token.' },
  { name: 'liquidity', description: 'USD in the pool; 0 where it is not trusted.' },
] as const

/** Measures of pairs. A measure's index is its column. */
export const pairMeasures = [...ofNow, ...tradingMeasures] as const

export type PairMeasureName = (typeof pairMeasures)[number]['name']

const columns = new Map<string, number>(pairMeasures.map(({ name }, column) => [name, column]))

export const pairColumn = (name: PairMeasureName): number => columns.get(name)!

/** Pair columns that only filters use, not sorting. */
export const pairFilterColumns = {
  venue: pairMeasures.length,
  isTrusted: pairMeasures.length + 1,
}

export const pairBoardSubject: BoardSubject = {
  measures: pairMeasures,
  columnCount: pairMeasures.length + Object.keys(pairFilterColumns).length,
  tradingColumns: { from: ofNow.length, to: pairMeasures.length },
  count: ({ reads }) => reads.pairCount(),
  lastTradeBlock: ({ reads }, pairId) => reads.pairActivity(pairId).lastTradeBlock,
  readCurrent,
  readTrading: ({ reads }, pairId, nowS, to) =>
    readTradingMeasures(
      {
        lastTradeAtS: reads.pairActivity(pairId).lastTradeAtS,
        window: (window) => reads.pairTrading(pairId, window, nowS),
        day: () => reads.pairWindow(pairId, dayWindow, nowS),
      },
      nowS,
      ofNow.length,
      to,
    ),
}

function readCurrent(
  { reads }: GatewayChain,
  pairId: number,
  words: WordCodes,
  to: Float64Array,
): boolean {
  const { record, targetTokenId, price0Usd, price1Usd, tvlUsd } = reads.pairMarket(pairId)
  const priceUsd = targetTokenId === record.token0Id ? price0Usd : price1Usd
  to.fill(Number.NaN)
  if (priceUsd === null) return false
  if (record.createdAtS > 0) to[0] = record.createdAtS
  to[1] = finiteOrZero(priceUsd)
  if (reads.isPairTvlKnown(pairId)) to[2] = finiteOrZero(tvlUsd)
  to[pairFilterColumns.venue] = words.codeOf(record.amm)
  to[pairFilterColumns.isTrusted] = record.isTrusted ? 1 : 0
  return true
}

type PairValues = { venue: string | null; trusted: string | null }

/** The screener of pairs: its filters are venue and trust. */
export const pairScreener: ScreenerKind = {
  subject: pairBoardSubject,
  inputs: {
    venue: optionalTextInput({
      name: 'venue',
      description: 'Pairs of this venue, as `amm` names it.',
    }),
    trusted: choiceInput('trusted', '1: pairs that a known factory confirms; 0: the others.', [
      '0',
      '1',
    ]),
  },
  filterRanges(values, words) {
    const { venue, trusted } = values as PairValues
    const named = wordRanges(words, [[pairFilterColumns.venue, venue]])
    if (named !== null && trusted !== null)
      named.push(exactRange(pairFilterColumns.isTrusted, Number(trusted)))
    return named
  },
  addressOf: ({ reads }, id) => reads.pairRecord(id).address,
  findId: ({ reads }, address) => reads.findPair(address),
}
