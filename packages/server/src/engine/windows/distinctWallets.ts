import { dayColumn } from '../tables/pairTable.ts'
import { columnNames, largePageDoubles, RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const D = dayColumn

/**
 * Slot of a wallet: its hash (0 if empty), and its last trades as one number: the 5-second bucket
 * of the newest trade, whether that was a sell, and how many buckets earlier the newest trade of
 * the other side was. The columns cannot move: a free run of slots has its link in the first, and
 * horizons use both.
 */
const column = { hash: 0, trades: 1 } as const
export const slotColumns = 2
export const newestUnit = 1 << 16
export const sellBit = 1 << 15
/** The wallet never traded on the other side, or so long ago that no window counts it. */
export const noOtherTrade = sellBit - 1
const capacityMin = 4
const sizeClasses = 32
const highInverse = 2 ** -32
/** Highest level of a wallet: its hash has this many bits above the lower 32. */
export const levelMax = 20
/** Rows for the horizons of all levels, two horizons per row. */
const horizonRows = 16

/** Number of 5-second buckets in a day; a slot without a trade since then has expired. */
const keptBuckets = 17_280

/**
 * Distinct wallets of each pair. Every pair has a hash table with open addressing, stored as a run
 * of slots in one row table. Expired slots are removed when a pair's table is rebuilt; the table is
 * freed when the pair has not traded for a day.
 * Tables are sampled. A wallet's level is the number of trailing zero bits of its hash above bit
 * 32: one wallet in two has level 1 or more, one in four level 2 or more. If a pair has too many
 * wallets of a level or above, those that traded longest ago are dropped, up to a bucket that
 * becomes the level's horizon; higher levels have older horizons. A window counts the wallets of
 * the lowest level whose horizon precedes the window. It is exact up to `exactMax` wallets,
 * whatever happened before, and otherwise within 3 / sqrt(exactMax) at three sigma.
 */
export class DistinctWallets {
  readonly slots: RowTable
  /** Row 1 has the first free run of slots of each size class. */
  readonly heads: RowTable
  readonly exactMax: number
  /** Slots that are being moved to another run. */
  #liveSlots = new Float64Array(0)
  /** Number of wallets by the age of their last trade, in buckets. */
  #countsByAge = new Int32Array(0)

  constructor(undo: UndoLog, exactMax: number) {
    this.slots = new RowTable(undo, {
      name: 'makers',
      columns: columnNames(column),
      pageDoubles: largePageDoubles,
    })
    this.heads = new RowTable(undo, {
      name: 'freeMakers',
      columns: columnNames({ class: 0 }, { class: sizeClasses }),
    })
    this.heads.alloc()
    this.exactMax = exactMax
  }

  /** Counts a wallet's trade. The window part of the pair's row must be saved already. */
  trade(pair: Float64Array, at: number, hash: number, isBuy: boolean, bucket: number): void {
    if (pair[at + D.makersCapacity] === 0) {
      pair[at + D.makersBase] = this.#takeRun(capacityMin)
      pair[at + D.makersCapacity] = capacityMin
    }
    if (!this.#isStored(pair, at, hash, bucket)) return
    let row = this.find(pair[at + D.makersBase]!, pair[at + D.makersCapacity]!, hash)
    if (this.slots.page(row)[this.slots.at(row)] === 0) {
      if ((pair[at + D.makersCount]! + 1) * 4 > pair[at + D.makersCapacity]! * 3) {
        this.#rebuild(pair, at, bucket)
        if (!this.#isStored(pair, at, hash, bucket)) return
        row = this.find(pair[at + D.makersBase]!, pair[at + D.makersCapacity]!, hash)
      }
      pair[at + D.makersCount]! += 1
    }
    this.slots.save(row)
    const page = this.slots.page(row)
    const slot = this.slots.at(row)
    page[slot + column.hash] = hash
    page[slot + column.trades] = tradesAfter(page[slot + column.trades]!, isBuy ? 0 : 1, bucket)
  }

  /**
   * Number of distinct wallets that traded after a bucket, without splitting buyers and sellers.
   */
  countWallets(pair: Float64Array, at: number, after: number): number {
    const level = this.levelAfter(pair, at, after)
    const base = pair[at + D.makersBase]!
    const end = base + pair[at + D.makersCapacity]!
    // The upper part of a slot's trades is the bucket of its newest trade, buy or sell.
    const from = (after + 1) * newestUnit
    let count = 0
    for (let row = base; row < end; row += 1) {
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      if (page[slot + column.trades]! < from) continue
      if (level === 0 || walletLevel(page[slot]!) >= level) count += 1
    }
    return count * 2 ** level
  }

  /** Lowest level at which all wallets that traded after the bucket are still stored. */
  levelAfter(pair: Float64Array, at: number, after: number): number {
    let level = 0
    while (this.#horizon(pair, at, level) > after) level += 1
    return level
  }

  clear(pair: Float64Array, at: number): void {
    this.#releaseRun(pair[at + D.makersBase]!, pair[at + D.makersCapacity]!)
    this.#releaseHorizons(pair, at)
    pair[at + D.makersBase] = 0
    pair[at + D.makersCapacity] = 0
    pair[at + D.makersCount] = 0
  }

  /** Slot of a wallet, or the empty slot where it belongs. */
  find(base: number, capacity: number, hash: number): number {
    const mask = capacity - 1
    let index = hash & mask
    for (;;) {
      const row = base + index
      const found = this.slots.page(row)[this.slots.at(row)]
      if (found === hash || found === 0) return row
      index = (index + 1) & mask
    }
  }

  /**
   * Moves the current slots of a pair to a run that is at most half full, dropping expired slots
   * and those beyond the sampling limit.
   */
  #rebuild(pair: Float64Array, at: number, bucket: number): void {
    // Horizons are no longer needed once the oldest of them, level 0's, has left the longest
    // window.
    if (this.#horizon(pair, at, 0) <= bucket - keptBuckets) this.#releaseHorizons(pair, at)
    let length = this.#collectLive(pair, at, bucket)
    if (length > this.exactMax * slotColumns || pair[at + D.makersHorizons] !== 0)
      length = this.#dropOldest(pair, at, length, bucket)
    const liveSlots = this.#liveSlots
    const count = length / slotColumns
    let capacity = capacityMin
    while (capacity < count * 2) capacity *= 2
    this.#releaseRun(pair[at + D.makersBase]!, pair[at + D.makersCapacity]!)
    const base = this.#takeRun(capacity)
    for (let index = 0; index < length; index += slotColumns) {
      const row = this.find(base, capacity, liveSlots[index]!)
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      page[slot] = liveSlots[index]!
      page[slot + column.trades] = liveSlots[index + column.trades]!
    }
    pair[at + D.makersBase] = base
    pair[at + D.makersCapacity] = capacity
    pair[at + D.makersCount] = count
  }

  /**
   * Raises the horizon of each level with too many wallets, and removes collected wallets before
   * it.
   */
  #dropOldest(pair: Float64Array, at: number, length: number, bucket: number): number {
    for (let level = 0; level < levelMax; level += 1) {
      const before = this.#horizon(pair, at, level)
      const horizon = this.#horizonFor(level, before, length, bucket)
      // This level, and thus every higher one, has few enough wallets.
      if (horizon === 0) break
      if (horizon > before) this.#setHorizon(pair, at, level, horizon)
    }
    const liveSlots = this.#liveSlots
    let left = 0
    for (let index = 0; index < length; index += slotColumns) {
      const trades = liveSlots[index + column.trades]!
      if (!this.#isStored(pair, at, liveSlots[index]!, Math.floor(trades / newestUnit))) continue
      liveSlots[left] = liveSlots[index]!
      liveSlots[left + column.trades] = trades
      left += slotColumns
    }
    return left
  }

  /**
   * Returns the bucket up to which wallets of a level must be dropped so that few enough remain.
   */
  #horizonFor(level: number, before: number, length: number, bucket: number): number {
    // A level halves the share of wallets that are counted. At this limit the next level's count
    // has an error of 3 / sqrt(exactMax) (three sigma), at every level.
    const countMax = Math.floor(this.exactMax * (2 - 2 ** -level))
    if (this.#countsByAge.length === 0) this.#countsByAge = new Int32Array(keptBuckets)
    const liveSlots = this.#liveSlots
    const countsByAge = this.#countsByAge
    countsByAge.fill(0)
    let count = 0
    for (let index = 0; index < length; index += slotColumns) {
      const newest = Math.floor(liveSlots[index + column.trades]! / newestUnit)
      if (newest <= before || walletLevel(liveSlots[index]!) < level) continue
      countsByAge[bucket - newest]! += 1
      count += 1
    }
    if (count <= countMax) return before
    let age = 0
    for (let newer = countsByAge[0]!; newer <= countMax; newer += countsByAge[age]!) age += 1
    return bucket - age
  }

  #isStored(pair: Float64Array, at: number, hash: number, bucket: number): boolean {
    return pair[at + D.makersHorizons] === 0 || bucket > this.#horizon(pair, at, walletLevel(hash))
  }

  /**
   * Wallets of the level are unknown if their newest trade is in this bucket or before; 0 if all
   * are known.
   */
  #horizon(pair: Float64Array, at: number, level: number): number {
    const base = pair[at + D.makersHorizons]!
    if (base === 0) return 0
    const row = base + (level >>> 1)
    return this.slots.page(row)[this.slots.at(row) + (level & 1)]!
  }

  #setHorizon(pair: Float64Array, at: number, level: number, bucket: number): void {
    if (pair[at + D.makersHorizons] === 0) pair[at + D.makersHorizons] = this.#takeRun(horizonRows)
    const row = pair[at + D.makersHorizons]! + (level >>> 1)
    this.slots.save(row)
    this.slots.page(row)[this.slots.at(row) + (level & 1)] = bucket
  }

  #releaseHorizons(pair: Float64Array, at: number): void {
    if (pair[at + D.makersHorizons] === 0) return
    this.#releaseRun(pair[at + D.makersHorizons]!, horizonRows)
    pair[at + D.makersHorizons] = 0
  }

  /** Collects the pair's slots that have not expired. Returns the number of doubles used. */
  #collectLive(pair: Float64Array, at: number, bucket: number): number {
    const base = pair[at + D.makersBase]!
    const capacity = pair[at + D.makersCapacity]!
    if (this.#liveSlots.length < capacity * slotColumns)
      this.#liveSlots = new Float64Array(capacity * slotColumns)
    const { slots } = this
    const liveSlots = this.#liveSlots
    const from = (bucket - keptBuckets + 1) * newestUnit
    let length = 0
    for (let row = base; row < base + capacity; row += 1) {
      const page = slots.page(row)
      const slot = slots.at(row)
      const trades = page[slot + column.trades]!
      if (page[slot] === 0 || trades < from) continue
      liveSlots[length] = page[slot]!
      liveSlots[length + column.trades] = trades
      length += slotColumns
    }
    return length
  }

  #takeRun(capacity: number): number {
    const heads = this.heads.page(1)
    const at = this.heads.at(1) + sizeClass(capacity)
    const base = heads[at]!
    if (base === 0) return this.slots.allocRun(capacity)
    this.heads.save(1)
    heads[at] = this.slots.page(base)[this.slots.at(base)]!
    for (let row = base; row < base + capacity; row += 1) {
      this.slots.save(row)
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      page[slot] = 0
      page[slot + column.trades] = 0
    }
    return base
  }

  #releaseRun(base: number, capacity: number): void {
    if (capacity === 0) return
    this.heads.save(1)
    this.slots.save(base)
    const heads = this.heads.page(1)
    const at = this.heads.at(1) + sizeClass(capacity)
    this.slots.page(base)[this.slots.at(base)] = heads[at]!
    heads[at] = base
  }
}

/** Trades of a slot after one more trade, on side 0 (buy) or 1 (sell). */
function tradesAfter(before: number, side: number, bucket: number): number {
  const start = bucket * newestUnit + side * sellBit
  if (before === 0) return start + noOtherTrade
  const newest = Math.floor(before / newestUnit)
  const low = before - newest * newestUnit
  const isSameSide = low >>> 15 === side
  const lowAgo = low & noOtherTrade
  if (isSameSide && lowAgo === noOtherTrade) return start + noOtherTrade
  const ago = bucket - newest + (isSameSide ? lowAgo : 0)
  return start + (ago < keptBuckets ? ago : noOtherTrade)
}

function sizeClass(capacity: number): number {
  return 31 - Math.clz32(capacity)
}

/** Level of a wallet: number of trailing zero bits of its hash above bit 32. */
export function walletLevel(hash: number): number {
  const high = Math.floor(hash * highInverse)
  return high === 0 ? levelMax : 31 - Math.clz32(high & -high)
}
