import { columnNames } from '../tables/columnNames.ts'
import { dayColumn } from '../tables/pairTable.ts'
import { largePageDoubles, RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

// Bindings of its own: fields of an imported constant are read at each use, those of a local one are part of the code.
const D = dayColumn

/**
 * A wallet's slot: its hash (0: empty) and its last trades in one number: the 5-second bucket of the
 * newest, whether it was a sell, and how many buckets before it the newest of the other side was. Free runs have their link
 * in the first column, and horizons lie in both: these two stay as they are.
 */
const column = { hash: 0, trades: 1 } as const
export const slotColumns = 2
export const newestUnit = 1 << 16
export const sellBit = 1 << 15
/** The other side never traded, or so long ago that no window counts it. */
export const agoNone = sellBit - 1
const capacityMin = 4
const sizeClasses = 32
const highInverse = 2 ** -32
/** A hash has this many bits above its lower 32. */
export const levelMax = 20
/** Enough rows of two for a horizon per level. */
const horizonRows = 16

/** Buckets of 5 seconds in a day: older slots are dead. */
const keptBuckets = 17_280

/**
 * Distinct wallets per pair: one open-addressing table per pair, all of them runs of slots in one
 * row table. Dead slots go when a table is rebuilt; the whole table goes when the pair has been
 * quiet for a day.
 *
 * A wallet's level is how many zero bits its hash has above bit 32: one wallet in two has level 1 or more, one in four
 * level 2 or more. When a pair has too many wallets of a level or more, those that have not traded for longest are
 * forgotten, up to a bucket that is the level's horizon; the higher the level, the older it is. A window is counted by
 * the wallets of the lowest level whose horizon lies before it. So it is exact with `exactMax` wallets in it or less,
 * whatever went before, and else within 3 / sqrt(exactMax) at three sigma.
 */
export class Makers {
  readonly slots: RowTable
  /** Row 1: per size class the first free run. */
  readonly heads: RowTable
  readonly exactMax: number
  /** Slots on their way to another run. */
  private living = new Float64Array(0)
  /** How many wallets traded last so many buckets ago. */
  private ages = new Int32Array(0)

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

  /** The window part of the pair's row must have been saved. */
  trade(pair: Float64Array, at: number, hash: number, isBuy: boolean, bucket: number): void {
    if (pair[at + D.makersCapacity] === 0) {
      pair[at + D.makersBase] = this.take(capacityMin)
      pair[at + D.makersCapacity] = capacityMin
    }
    if (!this.isKept(pair, at, hash, bucket)) return
    let row = this.find(pair[at + D.makersBase]!, pair[at + D.makersCapacity]!, hash)
    if (this.slots.page(row)[this.slots.at(row)] === 0) {
      if ((pair[at + D.makersCount]! + 1) * 4 > pair[at + D.makersCapacity]! * 3) {
        this.rebuild(pair, at, bucket)
        if (!this.isKept(pair, at, hash, bucket)) return
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

  /** Only how many there are. */
  countMakers(pair: Float64Array, at: number, after: number): number {
    const level = this.levelAfter(pair, at, after)
    const base = pair[at + D.makersBase]!
    const end = base + pair[at + D.makersCapacity]!
    // A slot's newest trade, of either side, is its upper part.
    const from = (after + 1) * newestUnit
    let count = 0
    for (let row = base; row < end; row += 1) {
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      if (page[slot + column.trades]! < from) continue
      if (level === 0 || levelOf(page[slot]!) >= level) count += 1
    }
    return count * 2 ** level
  }

  /** The lowest level at which every wallet is known that traded after the bucket. */
  levelAfter(pair: Float64Array, at: number, after: number): number {
    let level = 0
    while (this.horizon(pair, at, level) > after) level += 1
    return level
  }

  clear(pair: Float64Array, at: number): void {
    this.release(pair[at + D.makersBase]!, pair[at + D.makersCapacity]!)
    this.releaseHorizons(pair, at)
    pair[at + D.makersBase] = 0
    pair[at + D.makersCapacity] = 0
    pair[at + D.makersCount] = 0
  }

  /** The wallet's slot, or the empty one it belongs in. */
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

  /** Moves the living slots into a run that is at most half full, without those that are too many. */
  private rebuild(pair: Float64Array, at: number, bucket: number): void {
    // All of them have left the longest window when that of the lowest level has.
    if (this.horizon(pair, at, 0) <= bucket - keptBuckets) this.releaseHorizons(pair, at)
    let length = this.collect(pair, at, bucket)
    if (length > this.exactMax * slotColumns || pair[at + D.makersHorizons] !== 0)
      length = this.forget(pair, at, length, bucket)
    const { living } = this
    const count = length / slotColumns
    let capacity = capacityMin
    while (capacity < count * 2) capacity *= 2
    this.release(pair[at + D.makersBase]!, pair[at + D.makersCapacity]!)
    const base = this.take(capacity)
    for (let index = 0; index < length; index += slotColumns) {
      const row = this.find(base, capacity, living[index]!)
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      page[slot] = living[index]!
      page[slot + column.trades] = living[index + column.trades]!
    }
    pair[at + D.makersBase] = base
    pair[at + D.makersCapacity] = capacity
    pair[at + D.makersCount] = count
  }

  /** Raises horizons where a level has too many, and takes what they leave behind out of `living`. */
  private forget(pair: Float64Array, at: number, length: number, bucket: number): number {
    for (let level = 0; level < levelMax; level += 1) {
      const before = this.horizon(pair, at, level)
      const horizon = this.horizonFor(level, before, length, bucket)
      // All wallets of the level are few enough, and so are those of the levels above.
      if (horizon === 0) break
      if (horizon > before) this.setHorizon(pair, at, level, horizon)
    }
    const { living } = this
    let left = 0
    for (let index = 0; index < length; index += slotColumns) {
      const trades = living[index + column.trades]!
      if (!this.isKept(pair, at, living[index]!, Math.floor(trades / newestUnit))) continue
      living[left] = living[index]!
      living[left + column.trades] = trades
      left += slotColumns
    }
    return left
  }

  /** Up to which bucket wallets of a level, of those in `living`, have to be forgotten. */
  private horizonFor(level: number, before: number, length: number, bucket: number): number {
    // At this many, three sigma of a count at the level above are 3 / sqrt(exactMax), whatever the level.
    const countMax = Math.floor(this.exactMax * (2 - 2 ** -level))
    if (this.ages.length === 0) this.ages = new Int32Array(keptBuckets)
    const { living, ages } = this
    ages.fill(0)
    let count = 0
    for (let index = 0; index < length; index += slotColumns) {
      const newest = Math.floor(living[index + column.trades]! / newestUnit)
      if (newest <= before || levelOf(living[index]!) < level) continue
      ages[bucket - newest]! += 1
      count += 1
    }
    if (count <= countMax) return before
    let age = 0
    for (let newer = ages[0]!; newer <= countMax; newer += ages[age]!) age += 1
    return bucket - age
  }

  private isKept(pair: Float64Array, at: number, hash: number, bucket: number): boolean {
    return pair[at + D.makersHorizons] === 0 || bucket > this.horizon(pair, at, levelOf(hash))
  }

  /** Wallets of the level whose newest trade is in this bucket or before are not known; 0: all are. */
  private horizon(pair: Float64Array, at: number, level: number): number {
    const base = pair[at + D.makersHorizons]!
    if (base === 0) return 0
    const row = base + (level >>> 1)
    return this.slots.page(row)[this.slots.at(row) + (level & 1)]!
  }

  private setHorizon(pair: Float64Array, at: number, level: number, bucket: number): void {
    if (pair[at + D.makersHorizons] === 0) pair[at + D.makersHorizons] = this.take(horizonRows)
    const row = pair[at + D.makersHorizons]! + (level >>> 1)
    this.slots.save(row)
    this.slots.page(row)[this.slots.at(row) + (level & 1)] = bucket
  }

  private releaseHorizons(pair: Float64Array, at: number): void {
    if (pair[at + D.makersHorizons] === 0) return
    this.release(pair[at + D.makersHorizons]!, horizonRows)
    pair[at + D.makersHorizons] = 0
  }

  /** Fills `living` with the pair's slots that are; returns how much of it that takes. */
  private collect(pair: Float64Array, at: number, bucket: number): number {
    const base = pair[at + D.makersBase]!
    const capacity = pair[at + D.makersCapacity]!
    if (this.living.length < capacity * slotColumns)
      this.living = new Float64Array(capacity * slotColumns)
    const { living, slots } = this
    const from = (bucket - keptBuckets + 1) * newestUnit
    let length = 0
    for (let row = base; row < base + capacity; row += 1) {
      const page = slots.page(row)
      const slot = slots.at(row)
      const trades = page[slot + column.trades]!
      if (page[slot] === 0 || trades < from) continue
      living[length] = page[slot]!
      living[length + column.trades] = trades
      length += slotColumns
    }
    return length
  }

  private take(capacity: number): number {
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

  private release(base: number, capacity: number): void {
    if (capacity === 0) return
    this.heads.save(1)
    this.slots.save(base)
    const heads = this.heads.page(1)
    const at = this.heads.at(1) + sizeClass(capacity)
    this.slots.page(base)[this.slots.at(base)] = heads[at]!
    heads[at] = base
  }
}

/** A slot's trades after one more, on side 0 (buy) or 1 (sell). */
function tradesAfter(before: number, side: number, bucket: number): number {
  const start = bucket * newestUnit + side * sellBit
  if (before === 0) return start + agoNone
  const newest = Math.floor(before / newestUnit)
  const low = before - newest * newestUnit
  const isSameSide = low >>> 15 === side
  const lowAgo = low & agoNone
  if (isSameSide && lowAgo === agoNone) return start + agoNone
  const ago = bucket - newest + (isSameSide ? lowAgo : 0)
  return start + (ago < keptBuckets ? ago : agoNone)
}

function sizeClass(capacity: number): number {
  return 31 - Math.clz32(capacity)
}

/** Zero bits above bit 32. */
export function levelOf(hash: number): number {
  const high = Math.floor(hash * highInverse)
  return high === 0 ? levelMax : 31 - Math.clz32(high & -high)
}
