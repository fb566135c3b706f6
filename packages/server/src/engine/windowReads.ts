import {
  type DayRange,
  type MarketWindow,
  type TrendingInputs,
  type WindowTrading,
  windowsS,
} from './marketReads.ts'
import type { MarketState } from './marketState.ts'
import { readTargetPrice, readTokenPrice } from './prices/currentPrice.ts'
import { currentPriceRow } from './series/seriesReads.ts'
import { bigintOfThreeLimbs, bigintOfTwoLimbs, doubleOfTwoLimbs } from './tables/exactSums.ts'
import { dayColumn as D, pairColumn as P, pairFlag, sumColumns } from './tables/pairTable.ts'
import { tokenColumn as T } from './tables/tokenTable.ts'
import {
  BucketWalk,
  bucketLengthS,
  fineWindowCount,
  isInWindow,
  lastFineBefore,
  lastMinuteBefore,
} from './windows/bucketWalk.ts'
import { type DayRow, WalletCounts } from './windows/walletCounts.ts'
import { addSums, sumOffset } from './windows/windows.ts'

const dayWindow = windowsS.length - 1

/** A row with rolling 24 h data. Owner: a pair's row, or a quote side's as a negative number. */
type OwnedDayRow = DayRow & { owner: number }

/**
 * Reads rolling windows of pairs and tokens. Sums are gathered in arrays that every read reuses.
 */
export class WindowReads {
  readonly #state: MarketState
  readonly #revertCount: () => number
  readonly #sums = new Float64Array(sumColumns)
  readonly #walk = new BucketWalk()
  readonly #walletCounts: WalletCounts
  /** Subject and time of the last wallet count, which an answer needs for every window. */
  #lastWalletCount = { isToken: false, id: -1, nowS: 0, height: 0, reverts: 0 }
  #reverts = 0
  /** Pairs that count for the token that was read last. */
  readonly #traded: OwnedDayRow[] = []
  /** Prices of the last walk, 0 without a price; the oldest bucket of all walks of a read. */
  #highUsd = 0
  #lowUsd = 0
  #openUsd = 0
  #oldest = Number.POSITIVE_INFINITY

  constructor(state: MarketState, revertCount: () => number) {
    this.#state = state
    this.#revertCount = revertCount
    this.#walletCounts = new WalletCounts(state.windows.wallets)
  }

  /** Reads a window of one pair. It ends with the bucket of `nowS`, which counts as a whole. */
  pair(pairId: number, window: number, nowS: number): MarketWindow {
    const trading = this.pairTrading(pairId, window, nowS)
    return this.#withWallets(trading, window, nowS, false, pairId, [this.#pairDay(pairId + 1)])
  }

  /** Reads a pair's window without its wallets, which take most of the time for a busy pair. */
  pairTrading(pairId: number, window: number, nowS: number): WindowTrading {
    const { pairs } = this.#state
    this.#reset()
    this.#addPair(pairId + 1, window, nowS, true)
    this.#includeCurrentPrice(readTargetPrice(this.#state, pairId + 1).usd)
    return this.#toTrading(window, pairs.page(pairId + 1)[pairs.at(pairId + 1) + P.closeUsd]!)
  }

  /** Highest and lowest price of a pair within 24 hours, equal to those of its 24 h window. */
  pairDayRange(pairId: number, nowS: number): DayRange {
    this.#reset()
    this.#addPair(pairId + 1, dayWindow, nowS, false)
    this.#includeCurrentPrice(readTargetPrice(this.#state, pairId + 1).usd)
    return this.#dayRange()
  }

  /** Highest and lowest price of a token within 24 hours, equal to those of its 24 h window. */
  tokenDayRange(tokenId: number, nowS: number): DayRange {
    const side = this.#state.windows.quoteSides.find(tokenId)
    this.#reset()
    this.#readTokenPrices(tokenId, side, dayWindow, nowS, [])
    this.#includeCurrentPrice(readTokenPrice(this.#state, tokenId).usd)
    return this.#dayRange()
  }

  /**
   * Reads a window of a token over all of its trusted pairs: any contract can claim trades of the
   * token. A buyer of a pair's target sells its quote. A wallet counts once, on whichever side it
   * traded. Prices are those of the main pair at that time. A token without one that prices other
   * tokens has the prices at its trades.
   */
  token(tokenId: number, window: number, nowS: number): MarketWindow {
    const trading = this.tokenTrading(tokenId, window, nowS)
    return this.#withWallets(trading, window, nowS, true, tokenId, this.#traded)
  }

  /** Reads a token's window without its wallets. */
  tokenTrading(tokenId: number, window: number, nowS: number): WindowTrading {
    const { tokens, pairs, windows, limits } = this.#state
    const traded = this.#traded
    const token = tokens.page(tokenId + 1)
    const tokenAt = tokens.at(tokenId + 1)
    traded.length = 0
    let left = limits.tokenPairsReadMax
    this.#reset()
    const side = windows.quoteSides.find(tokenId)
    if (side !== 0) this.#addSide(side, window, nowS, true)
    for (let row = token[tokenAt + T.targetHead]!; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      if (countsForTokens(page, at)) {
        this.#addPair(row, window, nowS, true)
        traded.push(this.#pairDay(row))
      }
      row = page[at + P.nextTarget]!
    }
    if (side !== 0) traded.push(this.#sideDay(side))
    const closeUsd = this.#readTokenPrices(tokenId, side, window, nowS, traded)
    this.#includeCurrentPrice(readTokenPrice(this.#state, tokenId).usd)
    return this.#toTrading(window, closeUsd)
  }

  /**
   * USD volume of 24 hours over all trusted pairs of the token, without big integers or garbage.
   */
  tokenDayVolumeUsd(tokenId: number, nowS: number): number {
    const { tokens, pairs, limits, windows } = this.#state
    const isWhole = !windows.minutes.hasBucketUpTo(lastMinuteBefore(dayWindow, nowS))
    let left = limits.tokenPairsReadMax
    this.#reset()
    let row = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.targetHead]!
    for (; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      if (countsForTokens(page, at)) {
        // The running sums equal the window, so no walk is needed.
        if (isWhole) this.#addDay(page, at)
        else this.#addPair(row, dayWindow, nowS, true)
      }
      row = page[at + P.nextTarget]!
    }
    const side = windows.quoteSides.find(tokenId)
    const { rows } = windows.quoteSides
    if (side !== 0 && isWhole) addSums(this.#sums, 0, rows.page(side), rows.at(side) + D.sums)
    else if (side !== 0) this.#addSide(side, dayWindow, nowS, true)
    return (
      (doubleOfTwoLimbs(this.#sums, sumOffset.buy) + doubleOfTwoLimbs(this.#sums, sumOffset.sell)) /
      1e8
    )
  }

  /** Organic USD volume and wallets of 24 hours on the pairs that can price the token. */
  tokenInterest(tokenId: number, nowS: number): TrendingInputs {
    const { tokens, pairs, limits, windows } = this.#state
    const traded = this.#traded
    const walletCounts = this.#walletCounts
    const isWhole = !windows.minutes.hasBucketUpTo(lastMinuteBefore(dayWindow, nowS))
    traded.length = 0
    let left = limits.tokenPairsReadMax
    this.#reset()
    let row = tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.targetHead]!
    for (; row !== 0 && left > 0; left -= 1) {
      const page = pairs.page(row)
      const at = pairs.at(row)
      if (page[at + P.activeRow] !== 0 && (page[at + P.flags]! & pairFlag.mayPrice) !== 0) {
        if (isWhole) this.#addDay(page, at)
        else this.#addPair(row, dayWindow, nowS, true)
        traded.push(this.#pairDay(row))
      }
      row = page[at + P.nextTarget]!
    }
    const organicUsd = doubleOfTwoLimbs(this.#sums, sumOffset.organic) / 1e8
    const [first] = traded
    if (first === undefined) return { organicUsd, makers: 0 }
    if (traded.length === 1) {
      const after = lastFineBefore(dayWindow, nowS)
      return { organicUsd, makers: windows.wallets.countWallets(first.data, first.at, after) }
    }
    walletCounts.count(traded, (window) => lastFineBefore(window, nowS))
    // This count covers fewer pairs than a token's windows, so it must not be reused for them.
    this.#lastWalletCount.id = -1
    return { organicUsd, makers: walletCounts.wallets[dayWindow]! }
  }

  #reset(): void {
    this.#sums.fill(0)
    this.#oldest = Number.POSITIVE_INFINITY
    const reverts = this.#revertCount()
    if (reverts === this.#reverts) return
    this.#reverts = reverts
    this.#walk.clear()
  }

  /** Adds the trades of a quote side to the sums. */
  #addSide(side: number, window: number, nowS: number, isSummed: boolean): void {
    const { rows } = this.#state.windows.quoteSides
    this.#addRow(rows.page(side), rows.at(side), -side, window, nowS, isSummed)
  }

  #sideDay(side: number): OwnedDayRow {
    const { rows } = this.#state.windows.quoteSides
    return { data: rows.page(side), at: rows.at(side), owner: -side }
  }

  #pairDay(pairRow: number): OwnedDayRow {
    const { pairs, windows } = this.#state
    const row = pairs.page(pairRow)[pairs.at(pairRow) + P.activeRow]!
    return { data: windows.active.page(row), at: windows.active.at(row), owner: pairRow }
  }

  /** Adds the running sums of a pair. */
  #addDay(pair: Float64Array, at: number): void {
    const { active } = this.#state.windows
    const row = pair[at + P.activeRow]!
    addSums(this.#sums, 0, active.page(row), active.at(row) + D.sums)
  }

  #addPair(pairRow: number, window: number, nowS: number, isSummed: boolean): void {
    const { pairs } = this.#state
    this.#addRow(pairs.page(pairRow), pairs.at(pairRow), pairRow, window, nowS, isSummed)
  }

  /** Adds the window of one row. `pairRow` is negative for a quote side. */
  #addRow(
    page: Float64Array,
    at: number,
    pairRow: number,
    window: number,
    nowS: number,
    isSummed: boolean,
  ): void {
    const { fine, minutes } = this.#state.windows
    const walk = this.#walk
    if (window < fineWindowCount) {
      const after = lastFineBefore(window, nowS)
      const tail = page[at + P.fineTail]!
      // Any recent 5-second bucket may change: a round trip is subtracted from earlier buckets.
      walk.walk(fine, { pairRow, window, tail, after, isSummed }, true)
      if (isSummed) addSums(this.#sums, 0, walk.sums, 0)
    } else {
      const after = lastMinuteBefore(window, nowS)
      // The running sums equal the 24 h window unless expired buckets still wait to be freed.
      const isWhole = window === dayWindow && !minutes.hasBucketUpTo(after)
      const tail = page[at + P.minuteTail]!
      walk.walk(minutes, { pairRow, window, tail, after, isSummed: isSummed && !isWhole }, false)
      if (isSummed && isWhole && pairRow > 0) this.#addDay(page, at)
      else if (isSummed && isWhole) addSums(this.#sums, 0, page, at + D.sums)
      else if (isSummed) addSums(this.#sums, 0, walk.sums, 0)
    }
    const closeUsd = page[at + P.closeUsd]!
    this.#highUsd = walk.high === 0 ? closeUsd : walk.high
    this.#lowUsd = walk.high === 0 ? closeUsd : walk.low
    this.#openUsd = walk.open === 0 ? closeUsd : walk.open
    this.#oldest = Math.min(this.#oldest, walk.oldest)
  }

  #changePercent(closeUsd: number): number | null {
    return this.#openUsd === 0 || closeUsd === 0 ? null : (closeUsd / this.#openUsd - 1) * 100
  }

  /**
   * Time at which the oldest bucket leaves the window: that bucket's start plus the window's
   * length.
   */
  #changesAtS(window: number): number {
    return this.#oldest * bucketLengthS(window) + windowsS[window]!
  }

  /**
   * Reads the prices of a token's window and returns the last price; 0 without one. `traded` are
   * the pairs that were walked already.
   */
  #readTokenPrices(
    tokenId: number,
    side: number,
    window: number,
    nowS: number,
    traded: readonly OwnedDayRow[],
  ): number {
    const base = currentPriceRow(this.#state, tokenId)
    if (base === null) {
      if (side === 0) return this.#setPrices(0, 0, 0)
      const { data, at } = this.#sideDay(side)
      this.#addSide(side, window, nowS, false)
      return data[at + P.closeUsd]!
    }
    const { rows, row, key, curve, firstTradeAtS } = base
    const page = rows.page(row)
    const at = rows.at(row)
    // The walk over the token's only pair has read its prices already.
    const isWalked = traded.length === 1 && rows === this.#state.pairs && traded[0]!.owner === row
    if (!isWalked) this.#addRow(page, at, key, window, nowS, false)
    const closeUsd = page[at + P.closeUsd]!
    const isCurveIn =
      curve !== 0 && (firstTradeAtS === 0 || isInWindow(window, firstTradeAtS, nowS))
    return isCurveIn ? this.#includeCurvePrices(curve, closeUsd, window, nowS) : closeUsd
  }

  /** Adds prices of the launch curve, which precede the prices read so far. */
  #includeCurvePrices(curve: number, closeUsd: number, window: number, nowS: number): number {
    const highUsd = this.#highUsd
    const lowUsd = this.#lowUsd
    this.#addPair(curve, window, nowS, false)
    if (closeUsd === 0 || this.#openUsd === 0)
      return closeUsd || this.#state.pairs.page(curve)[this.#state.pairs.at(curve) + P.closeUsd]!
    this.#setPrices(Math.max(highUsd, this.#highUsd), Math.min(lowUsd, this.#lowUsd), this.#openUsd)
    return closeUsd
  }

  #setPrices(highUsd: number, lowUsd: number, openUsd: number): number {
    this.#highUsd = highUsd
    this.#lowUsd = lowUsd
    this.#openUsd = openUsd
    return openUsd
  }

  /** Extends high and low by the current price, which counts even if nothing was traded at it. */
  #includeCurrentPrice(usd: number): void {
    if (usd === 0) return
    if (usd > this.#highUsd) this.#highUsd = usd
    if (usd < this.#lowUsd || this.#lowUsd === 0) this.#lowUsd = usd
  }

  #dayRange(): DayRange {
    const highUsd = this.#highUsd
    const lowUsd = this.#lowUsd
    return { highUsd, lowUsd, changesAtS: this.#changesAtS(dayWindow) }
  }

  #toTrading(window: number, closeUsd: number): WindowTrading {
    const sums = this.#sums
    return {
      buyVolumeUsdE8: bigintOfTwoLimbs(sums, sumOffset.buy),
      sellVolumeUsdE8: bigintOfTwoLimbs(sums, sumOffset.sell),
      organicVolumeUsdE8: bigintOfTwoLimbs(sums, sumOffset.organic),
      buyCount: sums[sumOffset.buyCount]!,
      sellCount: sums[sumOffset.sellCount]!,
      amountRaw: bigintOfThreeLimbs(sums, sumOffset.amount),
      highUsd: this.#highUsd === 0 ? null : this.#highUsd,
      lowUsd: this.#lowUsd === 0 ? null : this.#lowUsd,
      changePercent: this.#changePercent(closeUsd),
      changesAtS: this.#changesAtS(window),
    }
  }

  #withWallets(
    trading: WindowTrading,
    window: number,
    nowS: number,
    isToken: boolean,
    id: number,
    traded: readonly OwnedDayRow[],
  ): MarketWindow {
    const walletCounts = this.#walletCounts
    const lastWalletCount = this.#lastWalletCount
    const reverts = this.#reverts
    const { height } = this.#state
    const isCounted =
      lastWalletCount.id === id &&
      lastWalletCount.isToken === isToken &&
      lastWalletCount.nowS === nowS &&
      lastWalletCount.height === height &&
      lastWalletCount.reverts === reverts
    if (!isCounted) {
      walletCounts.count(traded, (each) => lastFineBefore(each, nowS))
      this.#lastWalletCount = { isToken, id, nowS, height, reverts }
    }
    // Field by field: V8 copies a spread of this many fields slowly and leaves garbage in the old
    // generation.
    return {
      buyVolumeUsdE8: trading.buyVolumeUsdE8,
      sellVolumeUsdE8: trading.sellVolumeUsdE8,
      organicVolumeUsdE8: trading.organicVolumeUsdE8,
      buyCount: trading.buyCount,
      sellCount: trading.sellCount,
      amountRaw: trading.amountRaw,
      makers: walletCounts.wallets[window]!,
      buyers: walletCounts.buyers[window]!,
      sellers: walletCounts.sellers[window]!,
      highUsd: trading.highUsd,
      lowUsd: trading.lowUsd,
      changePercent: trading.changePercent,
      changesAtS: trading.changesAtS,
    }
  }
}

/** True if the pair's trades count for its tokens: it is trusted and traded within a day. */
function countsForTokens(page: Float64Array, at: number): boolean {
  return page[at + P.activeRow] !== 0 && (page[at + P.flags]! & pairFlag.isTrusted) !== 0
}
