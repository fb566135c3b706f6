import { bucketColumn as B, type Buckets } from './buckets.ts'
import { bigintOf2, bigintOf3 } from './limbs.ts'
import type { MakerCounts } from './makers.ts'
import { type MarketWindow, windowsS } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { pairColumn as P } from './pairTable.ts'
import { tokenColumn as T } from './tokenTable.ts'
import { addSums, emptySums, fineS, minuteS, sumOffset } from './windows.ts'

// 1m and 5m are made of 5-second buckets, the others of minutes.
const fineWindows = 2
const dayWindow = windowsS.length - 1

type Prices = { highUsd: number; lowUsd: number; openUsd: number }

/** One pair's window that ends with the bucket of `nowS`, which counts as a whole one. */
export function readPairWindow(
  state: MarketState,
  pairId: number,
  window: number,
  nowS: number,
): MarketWindow {
  const sums = emptySums()
  const prices = addPairWindow(state, pairId + 1, window, nowS, sums)
  const { page, at } = pairAt(state, pairId + 1)
  const makers = state.windows.makers.count(page, at, fineAfter(window, nowS))
  return windowOf(sums, makers, prices, page[at + P.closeUsd]!)
}

/**
 * All pairs the token is the target of. Wallets that traded several of them count once; prices are
 * those of the main pair.
 */
export function readTokenWindow(
  state: MarketState,
  tokenId: number,
  window: number,
  nowS: number,
): MarketWindow {
  const { tokens, limits, windows } = state
  const token = tokens.page(tokenId + 1)
  const tokenAt = tokens.at(tokenId + 1)
  const sums = emptySums()
  const traded: { data: Float64Array; at: number }[] = []
  let left = limits.tokenPairsReadMax
  for (let row = token[tokenAt + T.targetHead]!; row !== 0 && left > 0; left -= 1) {
    const { page, at } = pairAt(state, row)
    if (page[at + P.activeRow] !== 0) {
      addPairWindow(state, row, window, nowS, sums)
      traded.push({ data: page, at })
    }
    row = page[at + P.nextTarget]!
  }
  const after = fineAfter(window, nowS)
  const makers =
    traded.length === 1
      ? windows.makers.count(traded[0]!.data, traded[0]!.at, after)
      : windows.makers.countUnion(traded, after)
  const main = token[tokenAt + T.mainPair]!
  if (main === 0) return windowOf(sums, makers, { highUsd: 0, lowUsd: 0, openUsd: 0 }, 0)
  const { page, at } = pairAt(state, main)
  return windowOf(
    sums,
    makers,
    addPairWindow(state, main, window, nowS, emptySums()),
    page[at + P.closeUsd]!,
  )
}

function pairAt(state: MarketState, pairRow: number): { page: Float64Array; at: number } {
  return { page: state.pairs.page(pairRow), at: state.pairs.at(pairRow) }
}

/** Wallets count when their last trade is after this 5-second bucket. */
function fineAfter(window: number, nowS: number): number {
  if (window < fineWindows) return Math.floor(nowS / fineS) - windowsS[window]! / fineS
  const minute = Math.floor(nowS / minuteS) - windowsS[window]! / minuteS
  return ((minute + 1) * minuteS) / fineS - 1
}

function addPairWindow(
  state: MarketState,
  pairRow: number,
  window: number,
  nowS: number,
  sums: Float64Array,
): Prices {
  const { page, at } = pairAt(state, pairRow)
  const { fine, minutes } = state.windows
  const closeUsd = page[at + P.closeUsd]!
  if (window < fineWindows) {
    const after = Math.floor(nowS / fineS) - windowsS[window]! / fineS
    return walk(fine, page[at + P.fineTail]!, after, closeUsd, sums)
  }
  const after = Math.floor(nowS / minuteS) - windowsS[window]! / minuteS
  // The running sums are those of a day unless dead buckets wait to be freed.
  if (window !== dayWindow || minutes.hasUpTo(after))
    return walk(minutes, page[at + P.minuteTail]!, after, closeUsd, sums)
  addSums(sums, 0, page, at + P.sums)
  return walk(minutes, page[at + P.minuteTail]!, after, closeUsd, null)
}

/** From the newest bucket back to the first of the window. */
function walk(
  buckets: Buckets,
  tail: number,
  after: number,
  closeUsd: number,
  sums: Float64Array | null,
): Prices {
  const { rows } = buckets
  const prices = { highUsd: 0, lowUsd: 0, openUsd: closeUsd }
  for (let row = tail; row >= rows.head; ) {
    const bucket = rows.page(row)
    const from = rows.at(row)
    if (bucket[from]! <= after) break
    if (sums !== null) addSums(sums, 0, bucket, from + B.buy)
    const highUsd = bucket[from + B.high]!
    const lowUsd = bucket[from + B.low]!
    if (highUsd > prices.highUsd) prices.highUsd = highUsd
    if (lowUsd !== 0 && (prices.lowUsd === 0 || lowUsd < prices.lowUsd)) prices.lowUsd = lowUsd
    // Without a price yet: the first there was counts, from the next bucket.
    if (bucket[from + B.open] !== 0) prices.openUsd = bucket[from + B.open]!
    row = bucket[from + B.previous]!
  }
  if (prices.highUsd === 0) {
    prices.highUsd = closeUsd
    prices.lowUsd = closeUsd
  }
  return prices
}

function windowOf(
  sums: Float64Array,
  makers: MakerCounts,
  prices: Prices,
  closeUsd: number,
): MarketWindow {
  return {
    buyVolumeUsdE8: bigintOf2(sums, sumOffset.buy),
    sellVolumeUsdE8: bigintOf2(sums, sumOffset.sell),
    organicVolumeUsdE8: bigintOf2(sums, sumOffset.organic),
    buyCount: sums[sumOffset.buyCount]!,
    sellCount: sums[sumOffset.sellCount]!,
    amountRaw: bigintOf3(sums, sumOffset.amount),
    ...makers,
    highUsd: prices.highUsd === 0 ? null : prices.highUsd,
    lowUsd: prices.lowUsd === 0 ? null : prices.lowUsd,
    changePercent:
      prices.openUsd === 0 || closeUsd === 0 ? null : (closeUsd / prices.openUsd - 1) * 100,
  }
}
