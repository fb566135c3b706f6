import {
  type DayRange,
  type MarketWindow,
  type TokenInterest,
  type WindowTrading,
  windowsS,
} from '../marketReads.ts'
import type { MarketState } from '../marketState.ts'
import { readTargetPrice, readTokenPrice } from '../prices/currentPrice.ts'
import { seriesBase } from '../series/seriesReads.ts'
import { bigintOf2, bigintOf3, doubleOf2 } from '../tables/exactSums.ts'
import { dayColumn as D, pairColumn as P, pairFlag } from '../tables/pairTable.ts'
import { tokenColumn as T } from '../tables/tokenTable.ts'
import { sumColumns } from './buckets.ts'
import { BucketWalk } from './bucketWalk.ts'
import { MakerCounts, type PairAt } from './makerCounts.ts'
import { addSums, sumOffset } from './windows.ts'
import { bucketLengthS, fineAfter, fineWindows, isInside, minuteAfter } from './windowTimes.ts'

const dayWindow = windowsS.length - 1

/** Whose day it is: a pair's row, negative for that of a quote side. */
type DayAt = PairAt & { owner: number }

/** Reads of rolling windows. Sums are gathered in rows that are used again for every read. */
export class WindowReads {
  private readonly state: MarketState
  private readonly revertCount: () => number
  private readonly sums = new Float64Array(sumColumns)
  private readonly walk = new BucketWalk()
  private readonly makers: MakerCounts
  /** What the wallets were last counted of: rows have every window of one token or pair, one after another. */
  private counted = { isToken: false, id: -1, nowS: 0, height: 0, reverts: 0 }
  private reverts = 0
  /** The pairs that count for the token that was read last. */
  private readonly traded: DayAt[] = []
  /** Prices of the last walk, 0 when there are none, and the oldest bucket of all walks. */
  private highUsd = 0
  private lowUsd = 0
  private openUsd = 0
  private oldest = Number.POSITIVE_INFINITY

  constructor(state: MarketState, revertCount: () => number) {
    this.state = state
    this.revertCount = revertCount
    this.makers = new MakerCounts(state.windows.makers)
  }

  /** One pair's window that ends with the bucket of `nowS`, which counts as a whole one. */
  pair(pairId: number, window: number, nowS: number): MarketWindow {
    const trading = this.pairTrading(pairId, window, nowS)
    return this.withWallets(trading, window, nowS, false, pairId, [this.pairAt(pairId + 1)])
  }

  /** The same without the wallets, which take most of the time for a busy pair. */
  pairTrading(pairId: number, window: number, nowS: number): WindowTrading {
    const { pairs } = this.state
    this.start()
    this.addPair(pairId + 1, window, nowS, true)
    this.takeInCurrent(readTargetPrice(this.state, pairId + 1).usd)
    return this.made(window, pairs.page(pairId + 1)[pairs.at(pairId + 1) + P.closeUsd]!)
  }

  /** High and low of the pair's day, as its window has them. */
  pairDayRange(pairId: number, nowS: number): DayRange {
    this.start()
    this.addPair(pairId + 1, dayWindow, nowS, false)
    this.takeInCurrent(readTargetPrice(this.state, pairId + 1).usd)
    return this.dayRange()
  }

  /** The same of a token. */
  tokenDayRange(tokenId: number, nowS: number): DayRange {
    const side = this.state.windows.quoteSides.find(tokenId)
    this.start()
    this.addTokenPrices(tokenId, side, dayWindow, nowS, [])
    this.takeInCurrent(readTokenPrice(this.state, tokenId).usd)
    return this.dayRange()
  }

  /**
   * All trusted pairs of the token: any contract can say that it was traded. Who buys the target of one sells its quote.
   * A wallet counts once, on whichever side. Prices are those of the then main pair; without one, as of what other tokens
   * are priced in, those at its trades.
   */
  token(tokenId: number, window: number, nowS: number): MarketWindow {
    const trading = this.tokenTrading(tokenId, window, nowS)
    return this.withWallets(trading, window, nowS, true, tokenId, this.traded)
  }

  /** The same without the wallets. */
  tokenTrading(tokenId: number, window: number, nowS: number): WindowTrading {
    const { tokens, pairs, windows, limits } = this.state
    const { traded } = this
    const token = tokens.page(tokenId + 1)
    const tokenAt = tokens.at(tokenId + 1)
    traded.length = 0
    let left = limits.tokenPairsReadMax
    this.start()
    const side = windows.quoteSides.find(tokenId)
    if (side !== 0) this.addSide(side, window, nowS, true)
    for (let row = token[tokenAt + T.targetHead]!; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      if (counts(page, at)) {
        this.addPair(row, window, nowS, true)
        traded.push(this.pairAt(row))
      }
      row = page[at + P.nextTarget]!
    }
    if (side !== 0) traded.push(this.sideAt(side))
    const closeUsd = this.addTokenPrices(tokenId, side, window, nowS, traded)
    this.takeInCurrent(readTokenPrice(this.state, tokenId).usd)
    return this.made(window, closeUsd)
  }

  /** USD traded in a day over all trusted pairs of the token, without big integers and garbage. */
  tokenDayVolumeUsd(tokenId: number, nowS: number): number {
    const { tokens, pairs, limits, windows } = this.state
    const isWhole = !windows.minutes.hasUpTo(minuteAfter(dayWindow, nowS))
    let left = limits.tokenPairsReadMax
    this.start()
    let row = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.targetHead]!
    for (; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      if (counts(page, at)) {
        // The running sums need no walk.
        if (isWhole) this.addDay(page, at)
        else this.addPair(row, dayWindow, nowS, true)
      }
      row = page[at + P.nextTarget]!
    }
    const side = windows.quoteSides.find(tokenId)
    const { rows } = windows.quoteSides
    if (side !== 0 && isWhole) addSums(this.sums, 0, rows.page(side), rows.at(side) + D.sums)
    else if (side !== 0) this.addSide(side, dayWindow, nowS, true)
    return (doubleOf2(this.sums, sumOffset.buy) + doubleOf2(this.sums, sumOffset.sell)) / 1e8
  }

  /** Organic USD and wallets of a day, over the pairs that the token is the target of and that may price it. */
  tokenInterest(tokenId: number, nowS: number): TokenInterest {
    const { tokens, pairs, limits, windows } = this.state
    const { traded, makers } = this
    const isWhole = !windows.minutes.hasUpTo(minuteAfter(dayWindow, nowS))
    traded.length = 0
    let left = limits.tokenPairsReadMax
    this.start()
    let row = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.targetHead]!
    for (; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      if (page[at + P.activeRow] !== 0 && (page[at + P.flags]! & pairFlag.mayPrice) !== 0) {
        if (isWhole) this.addDay(page, at)
        else this.addPair(row, dayWindow, nowS, true)
        traded.push(this.pairAt(row))
      }
      row = page[at + P.nextTarget]!
    }
    const organicUsd = doubleOf2(this.sums, sumOffset.organic) / 1e8
    const [first] = traded
    if (first === undefined) return { organicUsd, makers: 0 }
    if (traded.length === 1) {
      const after = fineAfter(dayWindow, nowS)
      return { organicUsd, makers: windows.makers.countMakers(first.data, first.at, after) }
    }
    makers.count(traded, (window) => fineAfter(window, nowS))
    // Other wallets than the token's windows count.
    this.counted.id = -1
    return { organicUsd, makers: makers.makers[dayWindow]! }
  }

  private start(): void {
    this.sums.fill(0)
    this.oldest = Number.POSITIVE_INFINITY
    const reverts = this.revertCount()
    if (reverts === this.reverts) return
    this.reverts = reverts
    this.walk.clear()
  }

  /** What the token of a quote side traded there. */
  private addSide(side: number, window: number, nowS: number, isSummed: boolean): void {
    const { rows } = this.state.windows.quoteSides
    this.addRow(rows.page(side), rows.at(side), -side, window, nowS, isSummed)
  }

  private sideAt(side: number): DayAt {
    const { rows } = this.state.windows.quoteSides
    return { data: rows.page(side), at: rows.at(side), owner: -side }
  }

  private pairAt(pairRow: number): DayAt {
    const { pairs, windows } = this.state
    const row = pairs.page(pairRow)[pairs.at(pairRow) + P.activeRow]!
    return { data: windows.active.page(row), at: windows.active.at(row), owner: pairRow }
  }

  /** The running sums of a pair. */
  private addDay(pair: Float64Array, at: number): void {
    const { active } = this.state.windows
    const row = pair[at + P.activeRow]!
    addSums(this.sums, 0, active.page(row), active.at(row) + D.sums)
  }

  private addPair(pairRow: number, window: number, nowS: number, isSummed: boolean): void {
    const { pairs } = this.state
    this.addRow(pairs.page(pairRow), pairs.at(pairRow), pairRow, window, nowS, isSummed)
  }

  /** `pairRow` is negative for the row of a quote side. */
  private addRow(
    page: Float64Array,
    at: number,
    pairRow: number,
    window: number,
    nowS: number,
    isSummed: boolean,
  ): void {
    const { fine, minutes } = this.state.windows
    const { walk } = this
    if (window < fineWindows) {
      const after = fineAfter(window, nowS)
      const tail = page[at + P.fineTail]!
      // A round trip cancels what earlier buckets counted.
      walk.walk(fine, { pairRow, window, tail, after, isSummed }, true)
      if (isSummed) addSums(this.sums, 0, walk.sums, 0)
    } else {
      const after = minuteAfter(window, nowS)
      // The running sums are those of a day unless dead buckets wait to be freed.
      const isWhole = window === dayWindow && !minutes.hasUpTo(after)
      const tail = page[at + P.minuteTail]!
      walk.walk(minutes, { pairRow, window, tail, after, isSummed: isSummed && !isWhole }, false)
      if (isSummed && isWhole && pairRow > 0) this.addDay(page, at)
      else if (isSummed && isWhole) addSums(this.sums, 0, page, at + D.sums)
      else if (isSummed) addSums(this.sums, 0, walk.sums, 0)
    }
    const closeUsd = page[at + P.closeUsd]!
    this.highUsd = walk.high === 0 ? closeUsd : walk.high
    this.lowUsd = walk.high === 0 ? closeUsd : walk.low
    this.openUsd = walk.open === 0 ? closeUsd : walk.open
    this.oldest = Math.min(this.oldest, walk.oldest)
  }

  private changePercent(closeUsd: number): number | null {
    return this.openUsd === 0 || closeUsd === 0 ? null : (closeUsd / this.openUsd - 1) * 100
  }

  /** A bucket leaves when the window's last one is as many buckets later as the window has. */
  private changesAtS(window: number): number {
    return this.oldest * bucketLengthS(window) + windowsS[window]!
  }

  /** Gives the last one, 0: there is none. `traded` are the pairs that were walked last. */
  private addTokenPrices(
    tokenId: number,
    side: number,
    window: number,
    nowS: number,
    traded: readonly DayAt[],
  ): number {
    const base = seriesBase(this.state, tokenId)
    if (base === null) {
      if (side === 0) return this.setPrices(0, 0, 0)
      const { data, at } = this.sideAt(side)
      this.addSide(side, window, nowS, false)
      return data[at + P.closeUsd]!
    }
    const { rows, row, key, curve, firstTradeAtS } = base
    const page = rows.page(row)
    const at = rows.at(row)
    // The walk over its one pair has left the prices already.
    const isWalked = traded.length === 1 && rows === this.state.pairs && traded[0]!.owner === row
    if (!isWalked) this.addRow(page, at, key, window, nowS, false)
    const closeUsd = page[at + P.closeUsd]!
    const isCurveIn = curve !== 0 && (firstTradeAtS === 0 || isInside(window, firstTradeAtS, nowS))
    return isCurveIn ? this.joinCurve(curve, closeUsd, window, nowS) : closeUsd
  }

  /** The curve's prices came before those at hand. */
  private joinCurve(curve: number, closeUsd: number, window: number, nowS: number): number {
    const { highUsd, lowUsd } = this
    this.addPair(curve, window, nowS, false)
    if (closeUsd === 0 || this.openUsd === 0)
      return closeUsd || this.state.pairs.page(curve)[this.state.pairs.at(curve) + P.closeUsd]!
    this.setPrices(Math.max(highUsd, this.highUsd), Math.min(lowUsd, this.lowUsd), this.openUsd)
    return closeUsd
  }

  private setPrices(highUsd: number, lowUsd: number, openUsd: number): number {
    this.highUsd = highUsd
    this.lowUsd = lowUsd
    this.openUsd = openUsd
    return openUsd
  }

  /** The current price is a price of every window, though nobody has traded at it. */
  private takeInCurrent(usd: number): void {
    if (usd === 0) return
    if (usd > this.highUsd) this.highUsd = usd
    if (usd < this.lowUsd || this.lowUsd === 0) this.lowUsd = usd
  }

  private dayRange(): DayRange {
    const { highUsd, lowUsd } = this
    return { highUsd, lowUsd, changesAtS: this.changesAtS(dayWindow) }
  }

  private made(window: number, closeUsd: number): WindowTrading {
    const { sums } = this
    return {
      buyVolumeUsdE8: bigintOf2(sums, sumOffset.buy),
      sellVolumeUsdE8: bigintOf2(sums, sumOffset.sell),
      organicVolumeUsdE8: bigintOf2(sums, sumOffset.organic),
      buyCount: sums[sumOffset.buyCount]!,
      sellCount: sums[sumOffset.sellCount]!,
      amountRaw: bigintOf3(sums, sumOffset.amount),
      highUsd: this.highUsd === 0 ? null : this.highUsd,
      lowUsd: this.lowUsd === 0 ? null : this.lowUsd,
      changePercent: this.changePercent(closeUsd),
      changesAtS: this.changesAtS(window),
    }
  }

  private withWallets(
    trading: WindowTrading,
    window: number,
    nowS: number,
    isToken: boolean,
    id: number,
    traded: readonly DayAt[],
  ): MarketWindow {
    const { makers, counted, reverts } = this
    const { height } = this.state
    const isCounted =
      counted.id === id &&
      counted.isToken === isToken &&
      counted.nowS === nowS &&
      counted.height === height &&
      counted.reverts === reverts
    if (!isCounted) {
      makers.count(traded, (each) => fineAfter(each, nowS))
      this.counted = { isToken, id, nowS, height, reverts }
    }
    // Field by field: a spread of so many is copied by a slow way that leaves garbage in the old part of the heap.
    return {
      buyVolumeUsdE8: trading.buyVolumeUsdE8,
      sellVolumeUsdE8: trading.sellVolumeUsdE8,
      organicVolumeUsdE8: trading.organicVolumeUsdE8,
      buyCount: trading.buyCount,
      sellCount: trading.sellCount,
      amountRaw: trading.amountRaw,
      makers: makers.makers[window]!,
      buyers: makers.buyers[window]!,
      sellers: makers.sellers[window]!,
      highUsd: trading.highUsd,
      lowUsd: trading.lowUsd,
      changePercent: trading.changePercent,
      changesAtS: trading.changesAtS,
    }
  }
}

/** Whether the pair has something to add to its token. */
function counts(page: Float64Array, at: number): boolean {
  return page[at + P.activeRow] !== 0 && (page[at + P.flags]! & pairFlag.isTrusted) !== 0
}
