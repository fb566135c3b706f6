import { bucketColumn as B, type Buckets, sumColumns } from './buckets.ts'
import { bigintOf2, bigintOf3, limbBase } from './limbs.ts'
import type { MakerCounts } from './makers.ts'
import { type MarketWindow, windowsS } from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { pairColumn as P } from './pairTable.ts'
import { tokenColumn as T } from './tokenTable.ts'
import { addSums, fineS, minuteS, sumOffset } from './windows.ts'

// 1m and 5m are made of 5-second buckets, the others of minutes.
const fineWindows = 2
const dayWindow = windowsS.length - 1

/** What the order of trending needs of a pair's day. Filled again for each pair. */
export type DayFacts = {
  organicUsd: number
  makers: number
  changePercent: number
  /** First moment at which a trade leaves the day. */
  changesAtS: number
}

/** Reads of rolling windows. Sums are gathered in rows that are used again for every read. */
export class WindowReads {
  private readonly state: MarketState
  private readonly sums = new Float64Array(sumColumns)
  /** Prices of the last walk, 0 when there are none, and the oldest bucket it met. */
  private highUsd = 0
  private lowUsd = 0
  private openUsd = 0
  private oldest = Number.POSITIVE_INFINITY

  constructor(state: MarketState) {
    this.state = state
  }

  /** One pair's window that ends with the bucket of `nowS`, which counts as a whole one. */
  pair(pairId: number, window: number, nowS: number): MarketWindow {
    const { pairs, windows } = this.state
    this.start()
    this.addPair(pairId + 1, window, nowS, true)
    const page = pairs.page(pairId + 1)
    const at = pairs.at(pairId + 1)
    const makers = windows.makers.count(page, at, fineAfter(window, nowS))
    return this.made(window, makers, page[at + P.closeUsd]!)
  }

  /**
   * All pairs the token is the target of. Wallets that traded several of them count once; prices are
   * those of the main pair.
   */
  token(tokenId: number, window: number, nowS: number): MarketWindow {
    const { tokens, pairs, limits, windows } = this.state
    const token = tokens.page(tokenId + 1)
    const tokenAt = tokens.at(tokenId + 1)
    const traded: { data: Float64Array; at: number }[] = []
    let left = limits.tokenPairsReadMax
    this.start()
    for (let row = token[tokenAt + T.targetHead]!; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      if (page[at + P.activeRow] !== 0) {
        this.addPair(row, window, nowS, true)
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
    if (main === 0) {
      this.highUsd = 0
      this.lowUsd = 0
      this.openUsd = 0
      return this.made(window, makers, 0)
    }
    const page = pairs.page(main)
    const at = pairs.at(main)
    // The walk over its one pair has left the prices already.
    if (traded.length !== 1 || traded[0]!.data !== page || traded[0]!.at !== at)
      this.addPair(main, window, nowS, false)
    return this.made(window, makers, page[at + P.closeUsd]!)
  }

  /** The pair's day without big integers and garbage. */
  day(pairRow: number, nowS: number, facts: DayFacts): void {
    const { pairs, windows } = this.state
    this.start()
    this.addPair(pairRow, dayWindow, nowS, true)
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    const { sums } = this
    facts.organicUsd = (sums[sumOffset.organic + 1]! * limbBase + sums[sumOffset.organic]!) / 1e8
    facts.makers = windows.makers.countMakers(page, at, fineAfter(dayWindow, nowS))
    facts.changePercent = this.changePercent(page[at + P.closeUsd]!) ?? 0
    facts.changesAtS = this.changesAtS(dayWindow)
  }

  private start(): void {
    this.sums.fill(0)
    this.oldest = Number.POSITIVE_INFINITY
  }

  private addPair(pairRow: number, window: number, nowS: number, isSummed: boolean): void {
    const { pairs, windows } = this.state
    const { fine, minutes } = windows
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    const closeUsd = page[at + P.closeUsd]!
    if (window < fineWindows) {
      const after = Math.floor(nowS / fineS) - windowsS[window]! / fineS
      this.walk(fine, page[at + P.fineTail]!, after, closeUsd, isSummed)
      return
    }
    const after = Math.floor(nowS / minuteS) - windowsS[window]! / minuteS
    // The running sums are those of a day unless dead buckets wait to be freed.
    const isWhole = window === dayWindow && !minutes.hasUpTo(after)
    if (isSummed && isWhole) addSums(this.sums, 0, page, at + P.sums)
    this.walk(minutes, page[at + P.minuteTail]!, after, closeUsd, isSummed && !isWhole)
  }

  /** From the newest bucket back to the first of the window. */
  private walk(
    buckets: Buckets,
    tail: number,
    after: number,
    closeUsd: number,
    isSummed: boolean,
  ): void {
    const { rows } = buckets
    let high = 0
    let low = 0
    let open = closeUsd
    for (let row = tail; row >= rows.head; ) {
      const bucket = rows.page(row)
      const from = rows.at(row)
      const index = bucket[from]!
      if (index <= after) break
      if (index < this.oldest) this.oldest = index
      if (isSummed) addSums(this.sums, 0, bucket, from + B.buy)
      const highUsd = bucket[from + B.high]!
      const lowUsd = bucket[from + B.low]!
      if (highUsd > high) high = highUsd
      if (lowUsd !== 0 && (low === 0 || lowUsd < low)) low = lowUsd
      // Without a price yet: the first there was counts, from the next bucket.
      if (bucket[from + B.open] !== 0) open = bucket[from + B.open]!
      row = bucket[from + B.previous]!
    }
    this.highUsd = high === 0 ? closeUsd : high
    this.lowUsd = high === 0 ? closeUsd : low
    this.openUsd = open
  }

  private changePercent(closeUsd: number): number | null {
    return this.openUsd === 0 || closeUsd === 0 ? null : (closeUsd / this.openUsd - 1) * 100
  }

  /** A bucket leaves when the window's last one is as many buckets later as the window has. */
  private changesAtS(window: number): number {
    const lengthS = window < fineWindows ? fineS : minuteS
    return this.oldest * lengthS + windowsS[window]!
  }

  private made(window: number, makers: MakerCounts, closeUsd: number): MarketWindow {
    const { sums } = this
    return {
      buyVolumeUsdE8: bigintOf2(sums, sumOffset.buy),
      sellVolumeUsdE8: bigintOf2(sums, sumOffset.sell),
      organicVolumeUsdE8: bigintOf2(sums, sumOffset.organic),
      buyCount: sums[sumOffset.buyCount]!,
      sellCount: sums[sumOffset.sellCount]!,
      amountRaw: bigintOf3(sums, sumOffset.amount),
      makers: makers.makers,
      buyers: makers.buyers,
      sellers: makers.sellers,
      highUsd: this.highUsd === 0 ? null : this.highUsd,
      lowUsd: this.lowUsd === 0 ? null : this.lowUsd,
      changePercent: this.changePercent(closeUsd),
      changesAtS: this.changesAtS(window),
    }
  }
}

/** Wallets count when their last trade is after this 5-second bucket. */
function fineAfter(window: number, nowS: number): number {
  if (window < fineWindows) return Math.floor(nowS / fineS) - windowsS[window]! / fineS
  const minute = Math.floor(nowS / minuteS) - windowsS[window]! / minuteS
  return ((minute + 1) * minuteS) / fineS - 1
}
