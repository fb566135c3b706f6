import { pairColumn } from './pairTable.ts'
import { largePageDoubles, RowTable } from './rowTable.ts'
import type { UndoLog } from './undoLog.ts'

// Bindings of its own: fields of an imported constant are read at each use, those of a local one are part of the code.
const P = pairColumn

/**
 * A wallet's slot: its hash (0: empty) and its last trades in one number: the 5-second bucket of the
 * newest, whether it was a sell, and how many buckets before it the newest of the other side was.
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

/** Buckets of 5 seconds in a day: older slots are dead. */
const keptBuckets = 17_280

/**
 * Distinct wallets per pair: one open-addressing table per pair, all of them runs of slots in one
 * row table. Dead slots go when a table is rebuilt; the whole table goes when the pair has been
 * quiet for a day. At level n only wallets whose hash has n zero bits above bit 32 are kept.
 */
export class Makers {
  readonly slots: RowTable
  /** Row 1: per size class the first free run. */
  readonly heads: RowTable
  readonly exactMax: number
  /** Slots on their way to another run. */
  private living = new Float64Array(0)

  constructor(undo: UndoLog, exactMax: number) {
    this.slots = new RowTable(undo, [slotColumns], largePageDoubles)
    this.heads = new RowTable(undo, [sizeClasses])
    this.heads.alloc()
    this.exactMax = exactMax
  }

  /** The window part of the pair's row must have been saved. */
  trade(pair: Float64Array, at: number, hash: number, isBuy: boolean, bucket: number): void {
    if (pair[at + P.makersCapacity] === 0) {
      pair[at + P.makersBase] = this.take(capacityMin)
      pair[at + P.makersCapacity] = capacityMin
    }
    if (!isKept(hash, pair[at + P.makersLevel]!)) return
    let row = this.find(pair[at + P.makersBase]!, pair[at + P.makersCapacity]!, hash)
    if (this.slots.page(row)[this.slots.at(row)] === 0) {
      if ((pair[at + P.makersCount]! + 1) * 4 > pair[at + P.makersCapacity]! * 3) {
        this.rebuild(pair, at, bucket)
        if (!isKept(hash, pair[at + P.makersLevel]!)) return
        row = this.find(pair[at + P.makersBase]!, pair[at + P.makersCapacity]!, hash)
      }
      pair[at + P.makersCount]! += 1
    }
    this.slots.save(row)
    const page = this.slots.page(row)
    const slot = this.slots.at(row)
    page[slot + column.hash] = hash
    page[slot + column.trades] = tradesAfter(page[slot + column.trades]!, isBuy ? 0 : 1, bucket)
  }

  /** Brings the wallet's slot into the cache. What it gives means nothing, but must be used. */
  touch(pair: Float64Array, at: number, hash: number): number {
    const row = pair[at + P.makersBase]! + (hash & (pair[at + P.makersCapacity]! - 1))
    return pair[at + P.makersCapacity] === 0 ? 0 : this.slots.page(row)[this.slots.at(row)]!
  }

  /** Only how many there are. */
  countMakers(pair: Float64Array, at: number, after: number): number {
    const base = pair[at + P.makersBase]!
    const end = base + pair[at + P.makersCapacity]!
    // A slot's newest trade, of either side, is its upper part.
    const from = (after + 1) * newestUnit
    let count = 0
    for (let row = base; row < end; row += 1)
      if (this.slots.page(row)[this.slots.at(row) + column.trades]! >= from) count += 1
    return count * 2 ** pair[at + P.makersLevel]!
  }

  clear(pair: Float64Array, at: number): void {
    this.release(pair[at + P.makersBase]!, pair[at + P.makersCapacity]!)
    pair[at + P.makersBase] = 0
    pair[at + P.makersCapacity] = 0
    pair[at + P.makersCount] = 0
    pair[at + P.makersLevel] = 0
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

  /** Moves the living slots into a run that is at most half full, sampling when over the limit. */
  private rebuild(pair: Float64Array, at: number, bucket: number): void {
    const length = this.collect(pair, at, bucket)
    const { living } = this
    let level = pair[at + P.makersLevel]!
    let count = length / slotColumns
    while (count >= this.exactMax) {
      level += 1
      count = 0
      for (let index = 0; index < length; index += slotColumns)
        if (isKept(living[index]!, level)) count += 1
    }
    let capacity = capacityMin
    while (capacity < count * 2) capacity *= 2
    this.release(pair[at + P.makersBase]!, pair[at + P.makersCapacity]!)
    const base = this.take(capacity)
    for (let index = 0; index < length; index += slotColumns) {
      if (!isKept(living[index]!, level)) continue
      const row = this.find(base, capacity, living[index]!)
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      page[slot] = living[index]!
      page[slot + column.trades] = living[index + column.trades]!
    }
    pair[at + P.makersBase] = base
    pair[at + P.makersCapacity] = capacity
    pair[at + P.makersCount] = count
    pair[at + P.makersLevel] = level
  }

  /** Fills `living` with the pair's slots that are; returns how much of it that takes. */
  private collect(pair: Float64Array, at: number, bucket: number): number {
    const base = pair[at + P.makersBase]!
    const capacity = pair[at + P.makersCapacity]!
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

/** Wallets that a table of this level keeps. */
export function isKept(hash: number, level: number): boolean {
  return level === 0 || (Math.floor(hash * highInverse) & ((1 << level) - 1)) === 0
}
