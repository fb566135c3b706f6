import { pairColumn as P } from './pairTable.ts'
import { largePageDoubles, RowTable } from './rowTable.ts'
import type { UndoLog } from './undoLog.ts'

/**
 * A wallet's slot: its hash (0: empty) and its last trades in one number: the 5-second bucket of the
 * newest, whether it was a sell, and how many buckets before it the newest of the other side was.
 */
const column = { hash: 0, trades: 1 } as const
const columns = 2
const newestUnit = 1 << 16
const sellBit = 1 << 15
/** The other side never traded, or so long ago that no window counts it. */
const agoNone = sellBit - 1
const capacityMin = 4
const sizeClasses = 32

/** Buckets of 5 seconds in a day: older slots are dead. */
const keptBuckets = 17_280

export type MakerCounts = { makers: number; buyers: number; sellers: number }

/**
 * Distinct wallets per pair: one open-addressing table per pair, all of them runs of slots in one
 * row table. Dead slots go when a table is rebuilt; the whole table goes when the pair has been
 * quiet for a day. At level n only wallets whose hash has n zero bits above bit 32 are kept.
 */
export class Makers {
  readonly slots: RowTable
  /** Row 1: per size class the first free run. */
  readonly heads: RowTable
  private readonly exactMax: number

  constructor(undo: UndoLog, exactMax: number) {
    this.slots = new RowTable(undo, [columns], largePageDoubles)
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

  /** Counts wallets that traded after bucket `after`. */
  count(pair: Float64Array, at: number, after: number): MakerCounts {
    const counts = { makers: 0, buyers: 0, sellers: 0 }
    this.forEach(pair, at, (_, boughtAt, soldAt) => {
      if (boughtAt > after || soldAt > after) counts.makers += 1
      if (boughtAt > after) counts.buyers += 1
      if (soldAt > after) counts.sellers += 1
    })
    return scaled(counts, pair[at + P.makersLevel]!)
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

  /** Counts each wallet once over several pairs, sampled when there are more than the limit. */
  countUnion(pairs: readonly { data: Float64Array; at: number }[], after: number): MakerCounts {
    let level = 0
    let total = 0
    for (const { data, at } of pairs) {
      total += data[at + P.makersCount]! * 2 ** data[at + P.makersLevel]!
      level = Math.max(level, data[at + P.makersLevel]!)
    }
    while (total > this.exactMax * 2 ** (level + 1)) level += 1
    const sides = new Map<number, number>()
    for (const { data, at } of pairs)
      this.forEach(data, at, (hash, boughtAt, soldAt) => {
        const side = (boughtAt > after ? 1 : 0) | (soldAt > after ? 2 : 0)
        if (side !== 0 && isKept(hash, level)) sides.set(hash, (sides.get(hash) ?? 0) | side)
      })
    const counts = { makers: sides.size, buyers: 0, sellers: 0 }
    for (const side of sides.values()) {
      if (side & 1) counts.buyers += 1
      if (side & 2) counts.sellers += 1
    }
    return scaled(counts, level)
  }

  clear(pair: Float64Array, at: number): void {
    this.release(pair[at + P.makersBase]!, pair[at + P.makersCapacity]!)
    pair[at + P.makersBase] = 0
    pair[at + P.makersCapacity] = 0
    pair[at + P.makersCount] = 0
    pair[at + P.makersLevel] = 0
  }

  private forEach(
    pair: Float64Array,
    at: number,
    visit: (hash: number, boughtAt: number, soldAt: number) => void,
  ): void {
    const base = pair[at + P.makersBase]!
    const end = base + pair[at + P.makersCapacity]!
    for (let row = base; row < end; row += 1) {
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      const hash = page[slot]!
      if (hash === 0) continue
      const trades = page[slot + column.trades]!
      const newest = Math.floor(trades / newestUnit)
      const low = trades - newest * newestUnit
      const ago = low & agoNone
      const other = ago === agoNone ? 0 : newest - ago
      if (low & sellBit) visit(hash, other, newest)
      else visit(hash, newest, other)
    }
  }

  /** The wallet's slot, or the empty one it belongs in. */
  private find(base: number, capacity: number, hash: number): number {
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
    const living: number[] = []
    const end = pair[at + P.makersBase]! + pair[at + P.makersCapacity]!
    for (let row = pair[at + P.makersBase]!; row < end; row += 1) {
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      const trades = page[slot + column.trades]!
      if (page[slot] !== 0 && Math.floor(trades / newestUnit) > bucket - keptBuckets)
        living.push(page[slot]!, trades)
    }
    let level = pair[at + P.makersLevel]!
    const kept = () => {
      let count = 0
      for (let index = 0; index < living.length; index += columns)
        if (isKept(living[index]!, level)) count += 1
      return count
    }
    let count = living.length / columns
    while (count >= this.exactMax) {
      level += 1
      count = kept()
    }
    let capacity = capacityMin
    while (capacity < count * 2) capacity *= 2
    this.release(pair[at + P.makersBase]!, pair[at + P.makersCapacity]!)
    const base = this.take(capacity)
    for (let index = 0; index < living.length; index += columns) {
      if (!isKept(living[index]!, level)) continue
      const row = this.find(base, capacity, living[index]!)
      const page = this.slots.page(row)
      const slot = this.slots.at(row)
      for (let offset = 0; offset < columns; offset += 1)
        page[slot + offset] = living[index + offset]!
    }
    pair[at + P.makersBase] = base
    pair[at + P.makersCapacity] = capacity
    pair[at + P.makersCount] = count
    pair[at + P.makersLevel] = level
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
      const slot = this.slots.at(row)
      this.slots.page(row).fill(0, slot, slot + columns)
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

function isKept(hash: number, level: number): boolean {
  return level === 0 || Math.floor(hash / 2 ** 32) % 2 ** level === 0
}

function scaled(counts: MakerCounts, level: number): MakerCounts {
  const factor = 2 ** level
  return {
    makers: counts.makers * factor,
    buyers: counts.buyers * factor,
    sellers: counts.sellers * factor,
  }
}
