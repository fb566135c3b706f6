import { windowsS } from '../marketReads.ts'
import { dayColumn as D } from '../tables/pairTable.ts'
import {
  type DistinctWallets,
  levelMax,
  newestUnit,
  noOtherTrade,
  sellBit,
  slotColumns,
  walletLevel,
} from './distinctWallets.ts'

/** Location of rolling 24 h data: the columns of `dayColumn` are counted from `at`. */
export type DayRow = { data: Float64Array; at: number }

const windows = windowsS.length
// Up to this many tables each wallet is searched in every table. With more, one merged table is
// faster.
const searchedTablesMax = 4
/**
 * Columns of a wallet in the merged table: its hash (0 if empty), and the buckets of its last buy
 * and last sell.
 */
const mergedColumns = 3

/**
 * Counts distinct wallets of one or several pairs in all rolling windows at once: one walk over the
 * slots suffices, because longer windows contain the shorter ones. The counts are those of the last
 * walk.
 */
export class WalletCounts {
  readonly wallets = new Float64Array(windows)
  readonly buyers = new Float64Array(windows)
  readonly sellers = new Float64Array(windows)
  readonly #table: DistinctWallets
  /**
   * A window counts trades after this 5-second bucket; as a bucket index, and as the lowest value
   * of a slot's trades.
   */
  readonly #afters = new Float64Array(windows)
  readonly #froms = new Float64Array(windows)
  /** A window counts wallets of this level or above; a longer window never has a lower level. */
  readonly #levels = new Int32Array(windows)
  /** Indexed by a wallet's level: windows before this one count the wallet. */
  readonly #ends = new Int32Array(levelMax + 1)
  /** Indexed by a wallet's level: lowest value of a slot's trades that any window counts. */
  readonly #firsts = new Float64Array(levelMax + 1)
  readonly #raised = new Int32Array(windows)
  /** Hash table of the wallets of many tables, each wallet once. */
  #merged = new Float64Array(0)
  #boughtAt = 0
  #soldAt = 0

  constructor(table: DistinctWallets) {
    this.#table = table
  }

  /**
   * Counts the wallets of these pairs. `afterOf` must decrease from the shortest window to the
   * longest.
   */
  count(pairs: readonly DayRow[], afterOf: (window: number) => number): void {
    const { wallets, buyers, sellers } = this
    for (let window = 0; window < windows; window += 1) {
      const after = afterOf(window)
      this.#afters[window] = after
      this.#froms[window] = (after + 1) * newestUnit
    }
    this.#setLevels(pairs)
    this.#clear()
    if (pairs.length <= searchedTablesMax) this.#countBySearch(pairs)
    else this.#countMerged(pairs)
    this.#addShorterWindows()
    for (let window = 0; window < windows; window += 1) {
      const factor = 2 ** this.#levels[window]!
      wallets[window]! *= factor
      buyers[window]! *= factor
      sellers[window]! *= factor
    }
  }

  #clear(): void {
    this.wallets.fill(0)
    this.buyers.fill(0)
    this.sellers.fill(0)
  }

  /**
   * Adds the counts of shorter windows to longer ones. Before that, a wallet is counted only in the
   * shortest window that contains it, and subtracted where a window's level excludes it.
   */
  #addShorterWindows(): void {
    const { wallets, buyers, sellers } = this
    for (let window = 1; window < windows; window += 1) {
      wallets[window]! += wallets[window - 1]!
      buyers[window]! += buyers[window - 1]!
      sellers[window]! += sellers[window - 1]!
    }
  }

  /**
   * Sets each window's level to the highest among the pairs, that of the pair with the most
   * wallets.
   */
  #setLevels(pairs: readonly DayRow[]): void {
    this.#levels.fill(0)
    for (const { data, at } of pairs) {
      if (data[at + D.makersHorizons] === 0) continue
      for (let window = 0; window < windows; window += 1) {
        const level = this.#table.levelAfter(data, at, this.#afters[window]!)
        if (level > this.#levels[window]!) this.#levels[window] = level
      }
    }
    this.#setEnds()
  }

  /**
   * Counts the largest table as a whole, then adds the wallets of each other table that no earlier
   * table has.
   */
  #countBySearch(pairs: readonly DayRow[]): void {
    const [first] = pairs
    if (first === undefined) return
    const sizeOf = ({ data, at }: DayRow) => data[at + D.makersCapacity]!
    const tables = pairs.length === 1 ? pairs : [...pairs].sort((a, b) => sizeOf(b) - sizeOf(a))
    this.#countTable(tables[0]!)
    for (let index = 1; index < tables.length; index += 1)
      this.#forEach(tables[index]!, (hash, boughtAt, soldAt, end) => {
        this.#find(tables, index, hash)
        const boughtBefore = this.#boughtAt
        const soldBefore = this.#soldAt
        if (boughtAt <= boughtBefore && soldAt <= soldBefore) return
        this.#add(boughtBefore, soldBefore, end, -1)
        this.#add(Math.max(boughtAt, boughtBefore), Math.max(soldAt, soldBefore), end, 1)
      })
  }

  #countMerged(pairs: readonly DayRow[]): void {
    const isLarge = this.#slotCount(pairs) > 2 * this.#table.exactMax
    if (isLarge) this.#raiseLevels(pairs)
    do this.#merge(pairs, this.#startMerging(pairs, isLarge) - 1)
    while (isLarge && this.#lowerRaisedLevels(pairs))
  }

  #merge(pairs: readonly DayRow[], mask: number): void {
    const merged = this.#merged
    for (const pair of pairs)
      this.#forEach(pair, (hash, boughtAt, soldAt) => {
        let at = (hash & mask) * mergedColumns
        while (merged[at] !== 0 && merged[at] !== hash)
          at = at === mask * mergedColumns ? 0 : at + mergedColumns
        merged[at] = hash
        if (boughtAt > merged[at + 1]!) merged[at + 1] = boughtAt
        if (soldAt > merged[at + 2]!) merged[at + 2] = soldAt
      })
    for (let at = 0; at <= mask * mergedColumns; at += mergedColumns) {
      const hash = merged[at]!
      if (hash !== 0) this.#add(merged[at + 1]!, merged[at + 2]!, this.#ends[walletLevel(hash)]!, 1)
    }
  }

  /**
   * Makes room for the wallets of all tables. Returns the size of the merged table, at least twice
   * their number.
   */
  #startMerging(pairs: readonly DayRow[], isLarge: boolean): number {
    const count = isLarge ? this.#countSeparately(pairs) : this.#slotCount(pairs)
    this.#clear()
    let capacity = 1
    while (capacity < 2 * count) capacity *= 2
    if (this.#merged.length < capacity * mergedColumns)
      this.#merged = new Float64Array(capacity * mergedColumns)
    else this.#merged.fill(0, 0, capacity * mergedColumns)
    return capacity
  }

  #slotCount(pairs: readonly DayRow[]): number {
    return pairs.reduce((count, { data, at }) => count + data[at + D.makersCount]!, 0)
  }

  /**
   * Counts each table separately, which is fast. Returns the number of wallets counted in all
   * windows.
   */
  #countSeparately(pairs: readonly DayRow[]): number {
    this.#clear()
    for (const pair of pairs) this.#countTable(pair)
    this.#addShorterWindows()
    return this.wallets.reduce((sum, count) => sum + count, 0)
  }

  /**
   * Raises sampling levels, each of which halves the share of wallets counted, until no window
   * merges many more wallets than an estimate needs. Assumes that all wallets are different.
   */
  #raiseLevels(pairs: readonly DayRow[]): void {
    const { wallets } = this
    const levels = this.#levels
    this.#countSeparately(pairs)
    for (let window = 0; window < windows; window += 1) {
      for (let left = wallets[window]!; left > 2 * this.#table.exactMax; left /= 2)
        levels[window]! += 1
      if (window > 0) levels[window] = Math.max(levels[window]!, levels[window - 1]!)
    }
    this.#setEnds()
  }

  /**
   * Lowers the levels of windows whose sample became too small because many tables share wallets.
   * True if any changed.
   */
  #lowerRaisedLevels(pairs: readonly DayRow[]): boolean {
    const { wallets } = this
    const levels = this.#levels
    const raised = this.#raised
    raised.set(levels)
    this.#setLevels(pairs)
    let isTooFar = false
    let count = wallets.reduce((sum, each) => sum + each, 0)
    for (let window = windows - 1; window >= 0; window -= 1) {
      const lowest = levels[window]!
      const isFew = count <= this.#table.exactMax && raised[window]! > lowest
      isTooFar ||= isFew
      levels[window] = isFew ? raised[window]! - 1 : raised[window]!
      if (window < windows - 1) levels[window] = Math.min(levels[window]!, levels[window + 1]!)
      count -= wallets[window]!
    }
    this.#setEnds()
    return isTooFar
  }

  /** Written without calls: this takes most of the time of reading a busy pair. */
  #countTable({ data: pair, at }: DayRow): void {
    const { wallets, buyers, sellers } = this
    const froms = this.#froms
    const ends = this.#ends
    const firsts = this.#firsts
    const { slots } = this.#table
    const isSampled = this.#levels[windows - 1]! > 0
    let row = pair[at + D.makersBase]!
    const endRow = row + pair[at + D.makersCapacity]!
    while (row < endRow) {
      const page = slots.page(row)
      const from = slots.at(row)
      const rows = Math.min(endRow - row, slots.mask + 1 - (row & slots.mask))
      row += rows
      const endSlot = from + rows * slotColumns
      for (let slot = from; slot < endSlot; slot += slotColumns) {
        const trades = page[slot + 1]!
        const level = isSampled ? walletLevel(page[slot]!) : 0
        if (trades < firsts[level]!) continue
        const end = isSampled ? ends[level]! : windows
        let window = end - 1
        while (window > 0 && trades >= froms[window - 1]!) window -= 1
        wallets[window]! += 1
        const newest = Math.floor(trades / newestUnit)
        const low = trades - newest * newestUnit
        const isSell = low >= sellBit
        const own = isSell ? sellers : buyers
        own[window]! += 1
        if (end < windows) {
          wallets[end]! -= 1
          own[end]! -= 1
        }
        const ago = isSell ? low - sellBit : low
        if (ago !== noOtherTrade)
          addBefore(isSell ? buyers : sellers, this.#windowOf(newest - ago), end, 1)
      }
    }
  }

  /**
   * Visits wallets that any window counts; `end` is the first of the longer windows that exclude
   * the wallet's level.
   */
  #forEach(
    { data: pair, at }: DayRow,
    visit: (hash: number, boughtAt: number, soldAt: number, end: number) => void,
  ): void {
    const { slots } = this.#table
    const base = pair[at + D.makersBase]!
    const end = base + pair[at + D.makersCapacity]!
    for (let row = base; row < end; row += 1) {
      const page = slots.page(row)
      const slot = slots.at(row)
      const trades = page[slot + 1]!
      const level = walletLevel(page[slot]!)
      if (trades < this.#firsts[level]!) continue
      this.#read(trades)
      visit(page[slot]!, this.#boughtAt, this.#soldAt, this.#ends[level]!)
    }
  }

  /** Reads when a wallet last bought and sold in the first `count` tables; 0 if never. */
  #find(tables: readonly DayRow[], count: number, hash: number): void {
    const { slots } = this.#table
    let boughtAt = 0
    let soldAt = 0
    for (let index = 0; index < count; index += 1) {
      const { data, at } = tables[index]!
      if (data[at + D.makersCapacity] === 0) continue
      const row = this.#table.find(data[at + D.makersBase]!, data[at + D.makersCapacity]!, hash)
      const trades = slots.page(row)[slots.at(row) + 1]!
      if (trades === 0) continue
      this.#read(trades)
      boughtAt = Math.max(boughtAt, this.#boughtAt)
      soldAt = Math.max(soldAt, this.#soldAt)
    }
    this.#boughtAt = boughtAt
    this.#soldAt = soldAt
  }

  #read(trades: number): void {
    const newest = Math.floor(trades / newestUnit)
    const low = trades - newest * newestUnit
    const ago = low & noOtherTrade
    const other = ago === noOtherTrade ? 0 : newest - ago
    const isSell = low >= sellBit
    this.#boughtAt = isSell ? other : newest
    this.#soldAt = isSell ? newest : other
  }

  /** Adds a wallet to the counts of windows before `end`. */
  #add(boughtAt: number, soldAt: number, end: number, count: number): void {
    const bought = this.#windowOf(boughtAt)
    const sold = this.#windowOf(soldAt)
    addBefore(this.buyers, bought, end, count)
    addBefore(this.sellers, sold, end, count)
    addBefore(this.wallets, Math.min(bought, sold), end, count)
  }

  #setEnds(): void {
    const levels = this.#levels
    const ends = this.#ends
    const firsts = this.#firsts
    if (levels[windows - 1] === 0) {
      ends.fill(windows)
      firsts.fill(this.#froms[windows - 1]!)
      return
    }
    for (let level = 0; level <= levelMax; level += 1) {
      let end: number = windows
      while (end > 0 && levels[end - 1]! > level) end -= 1
      ends[level] = end
      firsts[level] = end === 0 ? Number.POSITIVE_INFINITY : this.#froms[end - 1]!
    }
  }

  /** The shortest window that contains the bucket; the number of windows if none does. */
  #windowOf(bucket: number): number {
    let window = windows
    while (window > 0 && bucket > this.#afters[window - 1]!) window -= 1
    return window
  }
}

function addBefore(counts: Float64Array, window: number, end: number, count: number): void {
  if (window >= end) return
  counts[window]! += count
  if (end < windows) counts[end]! -= count
}
