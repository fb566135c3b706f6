import type { Recomputed, RecomputedPair, Trade } from './market.ts'
import { compare, type Rational, toNumber } from './rational.ts'

/**
 * A pair must hold this much more than the main pair, for this time and number of blocks, to
 * replace it.
 */
const leadRatio = 1.1
const leadS = 20
const leadBlocksMin = 5

type Point = { blockNumber: number; timeS: number }

/** The log after which a pair is the main pair. */
type TakeOver = { pair: RecomputedPair; blockNumber: number; logIndex: number }

type Judged = {
  main: RecomputedPair | null
  challenger: RecomputedPair | null
  since: Point
}

const never: Point = { blockNumber: 0, timeS: 0 }

export type TokenSeries = { mainPair: RecomputedPair; trades: readonly Trade[] }

/**
 * The trades that price a token: those of each main pair while it was the main pair. Null without a
 * main pair.
 */
export function tokenSeriesOf(recomputed: Recomputed, token: string): TokenSeries | null {
  const targeted = [...recomputed.pairs.values()].filter(
    ({ targetSide, token0, token1 }) => (targetSide === 0 ? token0 : token1) === token,
  )
  const takeOvers = takeOversOf(recomputed, targeted)
  const last = takeOvers.at(-1)
  if (last === undefined) return null
  const trades = takeOvers.flatMap(({ pair }, at) =>
    pair.trades.filter(
      (trade) =>
        (at === 0 || isAfter(trade, takeOvers[at]!)) &&
        (takeOvers[at + 1] === undefined || !isAfter(trade, takeOvers[at + 1]!)),
    ),
  )
  return { mainPair: last.pair, trades }
}

/** The all-time high. */
export function highestUsd(trades: readonly Trade[]): Rational | null {
  const prices = trades.flatMap(({ priceUsd }) => priceUsd ?? [])
  return prices.length === 0 ? null : prices.reduce((a, b) => (compare(a, b) >= 0 ? a : b))
}

function isAfter(trade: Trade, { blockNumber, logIndex }: TakeOver): boolean {
  return (
    trade.blockNumber > blockNumber ||
    (trade.blockNumber === blockNumber && trade.logIndex > logIndex)
  )
}

function takeOversOf(
  { profile, head, nativeUsd, timesS, pairs: all }: Recomputed,
  pairs: readonly RecomputedPair[],
): TakeOver[] {
  const found: TakeOver[] = []
  const first = head.number - nativeUsd.length + 1
  // Main pairs are compared in blocks with pool events only.
  const moved = new Set(
    [...all.values()].flatMap(({ timeline, trades }) =>
      [...timeline, ...trades].map(({ blockNumber }) => blockNumber),
    ),
  )
  let judged: Judged = { main: null, challenger: null, since: never }
  const take = (next: Judged, blockNumber: number, logIndex: number) => {
    if (next.main !== null && next.main !== judged.main)
      found.push({ pair: next.main, blockNumber, logIndex })
    judged = next
  }
  for (let blockNumber = first; blockNumber <= head.number; blockNumber += 1) {
    for (const { graduation } of pairs) {
      if (graduation?.blockNumber !== blockNumber) continue
      const main = pairs.find(({ address }) => address === graduation.pair) ?? null
      if (main !== null)
        take({ main, challenger: null, since: never }, blockNumber, graduation.logIndex)
    }
    if (!moved.has(blockNumber)) continue
    const now = { blockNumber, timeS: timesS[blockNumber - first]! }
    const rate = nativeUsd[blockNumber - first]
    const nativeRate = rate ? toNumber(rate) : 0
    const usd = pairs.map((pair) => depthUsd(pair, profile, nativeRate, blockNumber))
    take(judge(judged, pairs, usd, now), blockNumber, Number.POSITIVE_INFINITY)
  }
  return found
}

function judge(
  before: Judged,
  pairs: readonly RecomputedPair[],
  usd: readonly number[],
  now: Point,
): Judged {
  const best = pairs[usd.indexOf(Math.max(...usd))]
  if (best === undefined || Math.max(...usd) === 0) return before
  if (before.main === null) return { main: best, challenger: null, since: never }
  const usdOf = (pair: RecomputedPair) => usd[pairs.indexOf(pair)]!
  const neededUsd = usdOf(before.main) * leadRatio
  const leads = (pair: RecomputedPair | null) =>
    pair !== null && pair !== before.main && usdOf(pair) >= neededUsd
  let { challenger, since } = before
  if (!leads(challenger)) {
    challenger = leads(best) ? best : null
    since = now
  }
  const isLongEnough =
    now.blockNumber - since.blockNumber >= leadBlocksMin && now.timeS - since.timeS >= leadS
  if (challenger === null || !isLongEnough) return { main: before.main, challenger, since }
  return judge({ main: challenger, challenger: null, since: never }, pairs, usd, now)
}

/** USD value of the pair's quote side after a block. */
function depthUsd(
  { timeline, targetSide, token0, token1, quoteDecimals }: RecomputedPair,
  { stables }: Recomputed['profile'],
  nativeUsd: number,
  blockNumber: number,
): number {
  const point = timeline.findLast((each) => each.blockNumber <= blockNumber)
  if (point === undefined || point.price === null) return 0
  const quote = targetSide === 0 ? token1 : token0
  const reserve = targetSide === 0 ? point.reserve1 : point.reserve0
  return (Number(reserve) / 10 ** quoteDecimals) * (stables.includes(quote) ? 1 : nativeUsd)
}
