import type { BigWords } from '../tables/bigWords.ts'
import {
  addLimbs,
  addToThreeLimbs,
  addToTwoLimbs,
  subtractFromTwoLimbs,
  subtractLimbs,
} from '../tables/exactSums.ts'
import {
  bucketColumn,
  dayColumn,
  pairColumn,
  pairPart,
  quoteSideColumn,
  sumColumns,
} from '../tables/pairTable.ts'
import type { RowTable } from '../tables/rowTable.ts'
import { createTrade, type Trade } from '../tables/trade.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import type { ActivePairs } from './activePairs.ts'
import { Buckets } from './buckets.ts'
import { DistinctWallets } from './distinctWallets.ts'
import { QuoteSides } from './quoteSides.ts'
import { RoundTrips } from './roundTrips.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const B = bucketColumn
const P = pairColumn
const D = dayColumn
const Q = quoteSideColumn
const windowPart = pairPart.window
const marketPart = pairPart.market

export const fineBucketS = 5
export const minuteBucketS = 60
const fineKeptS = 300
const daySeconds = 86_400
const minuteKeptS = daySeconds

/** Owner of a bucket that has only prices; no pair owns its sums. */
export const noOwner = 0

/** Offsets of a pair's sums, counted from `sums` (in a pair) or `buy` (in a bucket). */
const sumAt = { buy: 0, sell: 2, organic: 4, buyCount: 6, sellCount: 7, amount: 8 } as const
export const sumOffset = sumAt

/**
 * Rolling windows of all pairs: buckets, running sums of 24 hours, distinct wallets, and the pairs
 * that traded within a day. Windows of a token combine all pairs whose target it is. A quote token
 * may have all pairs of its chain, so trades on its trusted pairs are also counted for the token as
 * if they were one pair; these buckets have the negative row number of its quote side. A block has
 * many trades in few quote tokens, so its trades are gathered per quote token first.
 */
export class Windows {
  readonly fine: Buckets
  readonly minutes: Buckets
  readonly wallets: DistinctWallets
  readonly roundTrips: RoundTrips
  readonly active: ActivePairs
  readonly quoteSides: QuoteSides
  readonly #pairs: RowTable
  readonly #amountLimbs = new Float64Array(3)
  readonly #quoteAmountLimbs = new Float64Array(3)
  /** All trades of a block in one quote token, combined into one trade. */
  readonly #sideTrade = createTrade()
  /** Rows of the quote tokens that were traded in this block. */
  readonly #blockSides: number[] = []
  #pairRow = 0
  /** Quote-side row for the trade being counted; 0 if its pair is not trusted. */
  #sideRow = 0

  constructor(
    undo: UndoLog,
    options: { pairs: RowTable; active: ActivePairs; makersExactMax: number },
  ) {
    this.#pairs = options.pairs
    this.active = options.active
    this.fine = new Buckets(undo, { name: 'fineBuckets', lengthS: fineBucketS, keptS: fineKeptS })
    this.minutes = new Buckets(undo, {
      name: 'minuteBuckets',
      lengthS: minuteBucketS,
      keptS: minuteKeptS,
    })
    this.wallets = new DistinctWallets(undo, options.makersExactMax)
    this.roundTrips = new RoundTrips(undo)
    this.quoteSides = new QuoteSides(undo)
  }

  /** Frees expired buckets, oldest first, at most `expiriesMax` of each length. */
  startBlock(timeS: number, expiriesMax: number): void {
    this.roundTrips.startBlock(timeS)
    const fineNow = Math.floor(timeS / fineBucketS)
    const minuteNow = Math.floor(timeS / minuteBucketS)
    for (let left = expiriesMax; left > 0 && this.fine.isHeadExpired(fineNow); left -= 1)
      this.fine.rows.head += 1
    for (let left = expiriesMax; left > 0 && this.minutes.isHeadExpired(minuteNow); left -= 1)
      this.#expireOldestMinute()
  }

  /**
   * Counts a trade. Must be called after `setQuoteAmount`, and before the pair's close and time are
   * set to this trade's. `amount` is the amount of the target token.
   */
  addTrade(pair: Float64Array, at: number, trade: Readonly<Trade>, amount: BigWords): void {
    const { active } = this
    if (trade.isFirst) {
      this.#pairs.save(trade.pairRow, windowPart)
      active.save(pair[at + P.activeRow]!)
    }
    amount.writeLimbs48(this.#amountLimbs)
    this.#pairRow = trade.pairRow
    this.#sideRow = trade.isTrusted ? this.#prepareQuoteSide(trade) : 0
    const fine = this.#bucket(this.fine, P.fineTail, trade.fineBucket, pair, at, trade)
    const minute = this.#bucket(this.minutes, P.minuteTail, trade.minuteBucket, pair, at, trade)
    if (pair[at + P.activeRow] === 0) pair[at + P.activeRow] = active.add(trade.pairRow)
    const day = active.page(pair[at + P.activeRow]!)
    const dayAt = active.at(pair[at + P.activeRow]!)
    const isOrganic = this.roundTrips.addTrade(trade, fine, this.#subtractRoundTrip)
    const amountLimbs = this.#amountLimbs
    const { isBuy, usdE8 } = trade
    const fines = this.fine.rows
    const minutes = this.minutes.rows
    addToSums(fines.page(fine), fines.at(fine) + B.buy, isBuy, usdE8, isOrganic, amountLimbs)
    addToSums(
      minutes.page(minute),
      minutes.at(minute) + B.buy,
      isBuy,
      usdE8,
      isOrganic,
      amountLimbs,
    )
    addToSums(day, dayAt + D.sums, isBuy, usdE8, isOrganic, amountLimbs)
    this.wallets.trade(day, dayAt, trade.hash, isBuy, trade.fineBucket)
    if (this.#sideRow !== 0) this.#gatherTrade(trade, isOrganic)
  }

  /** Adds a trade to a token's own series. Call it before the series' close and time are set. */
  addPrice(series: Float64Array, at: number, trade: Readonly<Trade>): void {
    this.#bucket(this.fine, P.fineTail, trade.fineBucket, series, at, trade)
    this.#bucket(this.minutes, P.minuteTail, trade.minuteBucket, series, at, trade)
  }

  /** Continues a pair's prices in a token series: shares closed buckets, copies open ones. */
  continuePrices(
    series: Float64Array,
    at: number,
    pair: Float64Array,
    from: number,
    { fineBucket, minuteBucket }: Readonly<Trade>,
  ): void {
    const lastTradeAtS = pair[from + P.lastTradeAtS]!
    series[at + P.fineTail] = this.fine.continuePrices(
      pair[from + P.fineTail]!,
      lastTradeAtS,
      fineBucket,
    )
    series[at + P.minuteTail] = this.minutes.continuePrices(
      pair[from + P.minuteTail]!,
      lastTradeAtS,
      minuteBucket,
    )
  }

  /** Must be called after all trades of a block. */
  endBlock(): void {
    for (const row of this.#blockSides) this.#flushSide(row)
    this.#blockSides.length = 0
  }

  /** Sets the amount of the quote token for the next trade. */
  setQuoteAmount(amount: BigWords): void {
    amount.writeLimbs48(this.#quoteAmountLimbs)
  }

  /** Prepares the quote-side row of a trade and returns it. */
  #prepareQuoteSide(trade: Readonly<Trade>): number {
    const { quoteSides } = this
    const sideTrade = this.#sideTrade
    const { rows } = quoteSides
    const known = quoteSides.find(trade.quoteToken)
    const row = known === 0 ? quoteSides.add(trade.quoteToken) : known
    const page = rows.page(row)
    const at = rows.at(row)
    if (page[at + P.tradedBlock] !== trade.block) {
      rows.save(row, windowPart)
      rows.save(row, marketPart)
      page[at + P.tradedBlock] = trade.block
      this.#blockSides.push(row)
      sideTrade.timeS = trade.timeS
      sideTrade.minuteBucket = trade.minuteBucket
      sideTrade.fineBucket = trade.fineBucket
    } else if (page[at + Q.gatheredUsd] !== trade.quoteUsd) this.#flushSide(row)
    page[at + Q.gatheredUsd] = trade.quoteUsd
    return row
  }

  /** Adds a trade to the quote side: a buyer of the target sells the quote. */
  #gatherTrade({ isBuy, usdE8, hash, fineBucket }: Readonly<Trade>, isOrganic: boolean): void {
    const { rows } = this.quoteSides
    const at = rows.at(this.#sideRow) + Q.gathered
    addToSums(rows.page(this.#sideRow), at, !isBuy, usdE8, isOrganic, this.#quoteAmountLimbs)
    this.wallets.trade(rows.page(this.#sideRow), rows.at(this.#sideRow), hash, !isBuy, fineBucket)
  }

  /** Counts the gathered trades of a quote token. */
  #flushSide(row: number): void {
    const sideTrade = this.#sideTrade
    const { rows } = this.quoteSides
    const side = rows.page(row)
    const at = rows.at(row)
    const from = at + Q.gathered
    if (side[from + sumAt.buyCount] === 0 && side[from + sumAt.sellCount] === 0) return
    sideTrade.pairRow = -row
    sideTrade.priceUsd = side[at + Q.gatheredUsd]!
    const fine = this.#bucket(this.fine, P.fineTail, sideTrade.fineBucket, side, at, sideTrade)
    const minute = this.#bucket(
      this.minutes,
      P.minuteTail,
      sideTrade.minuteBucket,
      side,
      at,
      sideTrade,
    )
    addSums(this.fine.rows.page(fine), this.fine.rows.at(fine) + B.buy, side, from)
    addSums(this.minutes.rows.page(minute), this.minutes.rows.at(minute) + B.buy, side, from)
    addSums(side, at + D.sums, side, from)
    updateClose(side, at, sideTrade)
    side.fill(0, from, from + sumColumns)
  }

  /** The pair's current bucket, created if time has moved on. */
  #bucket(
    buckets: Buckets,
    tailColumn: number,
    index: number,
    pair: Float64Array,
    at: number,
    trade: Readonly<Trade>,
  ): number {
    const { rows } = buckets
    let row = pair[at + tailColumn]!
    // Every trade has a bucket of its time, so the time of the last trade shows whether the newest
    // bucket is current.
    if (Math.floor(pair[at + P.lastTradeAtS]! / buckets.lengthS) !== index) {
      row = buckets.append(index, trade.pairRow, row, pair[at + P.closeUsd]!)
      pair[at + tailColumn] = row
    } else if (trade.isFirst) rows.save(row)
    const price = trade.priceUsd
    if (price === 0) return row
    const page = rows.page(row)
    const to = rows.at(row)
    if (page[to + B.high]! === 0) {
      // The pair's first price: a window that starts before it shows the change since this price.
      page[to + B.open] = price
      page[to + B.high] = price
      page[to + B.low] = price
    } else if (price > page[to + B.high]!) page[to + B.high] = price
    else if (price < page[to + B.low]!) page[to + B.low] = price
    return row
  }

  /** Removes an earlier trade of the current pair, half of a round trip, from organic volume. */
  readonly #subtractRoundTrip = (atS: number, fineRow: number, usdE8: number): void => {
    const fine = this.fine.rows
    fine.save(fineRow)
    subtractFromTwoLimbs(fine.page(fineRow), fine.at(fineRow) + B.organic, usdE8)
    const pair = this.#pairs.page(this.#pairRow)
    const at = this.#pairs.at(this.#pairRow)
    subtractOrganic(this.minutes, pair[at + P.minuteTail]!, atS, usdE8)
    const { active } = this
    const row = pair[at + P.activeRow]!
    subtractFromTwoLimbs(active.page(row), active.at(row) + D.sums + sumAt.organic, usdE8)
    if (this.#sideRow === 0) return
    // The earlier trade may still be among the gathered trades.
    this.#flushSide(this.#sideRow)
    const { rows } = this.quoteSides
    const side = rows.page(this.#sideRow)
    const sideAt = rows.at(this.#sideRow)
    subtractOrganic(this.fine, side[sideAt + P.fineTail]!, atS, usdE8)
    subtractOrganic(this.minutes, side[sideAt + P.minuteTail]!, atS, usdE8)
    subtractFromTwoLimbs(side, sideAt + D.sums + sumAt.organic, usdE8)
  }

  #expireOldestMinute(): void {
    const { rows } = this.minutes
    const row = rows.head
    rows.head = row + 1
    const bucket = rows.page(row)
    const from = rows.at(row)
    const owner = bucket[from + B.pair]!
    if (owner === noOwner) return
    if (owner > 0) this.#expirePairBucket(owner, row, bucket, from)
    else this.#expireSideBucket(-owner, row, bucket, from)
  }

  #expirePairBucket(pairRow: number, row: number, bucket: Float64Array, from: number): void {
    const { active } = this
    const pairs = this.#pairs
    pairs.save(pairRow, windowPart)
    const pair = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    const activeRow = pair[at + P.activeRow]!
    active.save(activeRow)
    const day = active.page(activeRow)
    const dayAt = active.at(activeRow)
    subtractSums(day, dayAt + D.sums, bucket, from + B.buy)
    if (pair[at + P.minuteTail] !== row) return
    pair[at + P.minuteTail] = 0
    this.wallets.clear(day, dayAt)
    pair[at + P.activeRow] = 0
    const moved = active.remove(activeRow)
    if (moved === 0) return
    pairs.save(moved, windowPart)
    pairs.page(moved)[pairs.at(moved) + P.activeRow] = activeRow
  }

  #expireSideBucket(sideRow: number, row: number, bucket: Float64Array, from: number): void {
    const { rows } = this.quoteSides
    rows.save(sideRow, windowPart)
    const side = rows.page(sideRow)
    const at = rows.at(sideRow)
    subtractSums(side, at + D.sums, bucket, from + B.buy)
    if (side[at + P.minuteTail] !== row) return
    side[at + P.minuteTail] = 0
    this.wallets.clear(side, at)
  }
}

function addToSums(
  data: Float64Array,
  at: number,
  isBuy: boolean,
  usdE8: number,
  isOrganic: boolean,
  amount: Float64Array,
): void {
  if (isBuy) {
    addToTwoLimbs(data, at + sumAt.buy, usdE8)
    data[at + sumAt.buyCount]! += 1
  } else {
    addToTwoLimbs(data, at + sumAt.sell, usdE8)
    data[at + sumAt.sellCount]! += 1
  }
  if (isOrganic) addToTwoLimbs(data, at + sumAt.organic, usdE8)
  addToThreeLimbs(data, at + sumAt.amount, amount[0]!, amount[1]!, amount[2]!)
}

/**
 * Updates close and time of a row. A day opens at the last close before it, the very first day at
 * the first price.
 */
export function updateClose(pair: Float64Array, at: number, trade: Readonly<Trade>): void {
  const { timeS, priceUsd } = trade
  const lastDay = Math.floor(pair[at + P.lastTradeAtS]! / daySeconds)
  if (lastDay !== Math.floor(timeS / daySeconds)) pair[at + P.dayOpenUsd] = pair[at + P.closeUsd]!
  if (pair[at + P.dayOpenUsd] === 0) pair[at + P.dayOpenUsd] = priceUsd
  if (priceUsd !== 0) pair[at + P.closeUsd] = priceUsd
  pair[at + P.lastTradeAtS] = timeS
}

/**
 * Subtracts organic volume from the bucket that counted a trade of the last minute, found backwards
 * from `tail`.
 */
function subtractOrganic(
  { rows, lengthS }: Buckets,
  tail: number,
  atS: number,
  usdE8: number,
): void {
  const index = Math.floor(atS / lengthS)
  let row = tail
  while (rows.page(row)[rows.at(row)] !== index) row = rows.page(row)[rows.at(row) + B.previous]!
  rows.save(row)
  subtractFromTwoLimbs(rows.page(row), rows.at(row) + B.organic, usdE8)
}

function subtractSums(data: Float64Array, at: number, from: Float64Array, fromAt: number): void {
  subtractLimbs(data, at, from, fromAt, 2)
  subtractLimbs(data, at + sumAt.sell, from, fromAt + sumAt.sell, 2)
  subtractLimbs(data, at + sumAt.organic, from, fromAt + sumAt.organic, 2)
  data[at + sumAt.buyCount]! -= from[fromAt + sumAt.buyCount]!
  data[at + sumAt.sellCount]! -= from[fromAt + sumAt.sellCount]!
  subtractLimbs(data, at + sumAt.amount, from, fromAt + sumAt.amount, 3)
}

export function addSums(data: Float64Array, at: number, from: Float64Array, fromAt: number): void {
  addLimbs(data, at, from, fromAt, 2)
  addLimbs(data, at + sumAt.sell, from, fromAt + sumAt.sell, 2)
  addLimbs(data, at + sumAt.organic, from, fromAt + sumAt.organic, 2)
  data[at + sumAt.buyCount]! += from[fromAt + sumAt.buyCount]!
  data[at + sumAt.sellCount]! += from[fromAt + sumAt.sellCount]!
  addLimbs(data, at + sumAt.amount, from, fromAt + sumAt.amount, 3)
}
