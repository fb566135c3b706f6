import { RowLog } from './rowLog.ts'
import { RowTable } from './rowTable.ts'
import type { Trade } from './trade.ts'
import type { UndoLog } from './undoLog.ts'

/** One wallet on one pair in the current minute; dead when its minute is over, so nothing is cleared. */
const slot = { minute: 0, pair: 1, hash: 2, sides: 3, lastTrade: 4 } as const
const slotColumns = 5
const trade = { bucket: 0, usdE8: 1, previous: 2 } as const
const tradeColumns = 3
const state = { minute: 2, capacity: 3, used: 4 } as const
// Enough for a quiet chain's minute; doubles when three quarters full.
const firstCapacity = 1 << 10

/**
 * Finds wallets that bought and sold the same pair inside one clock minute. All their trades of that
 * minute are taken out of organic volume, the earlier ones afterwards.
 */
export class RoundTrips {
  readonly slots: RowTable
  readonly trades: RowLog

  constructor(undo: UndoLog) {
    this.slots = new RowTable(undo, [slotColumns])
    this.trades = new RowLog(undo, tradeColumns)
    this.slots.allocRun(firstCapacity)
    this.slots.page(0)[state.capacity] = firstCapacity
  }

  /**
   * Takes a trade in; true when it is organic so far. `takeBack` gets each earlier trade of the
   * wallet that is organic no more, with the 5-second bucket it was counted in.
   */
  isOrganic(
    facts: Readonly<Trade>,
    bucket: number,
    takeBack: (bucket: number, usdE8: number) => void,
  ): boolean {
    const { minute, hash, pairRow, usdE8 } = facts
    this.startMinute(minute)
    const row = this.find(minute, pairRow, hash)
    this.slots.save(row)
    const page = this.slots.page(row)
    const at = this.slots.at(row)
    const side = facts.isBuy ? 1 : 2
    if (page[at + slot.minute] !== minute) {
      page[at + slot.minute] = minute
      page[at + slot.pair] = pairRow
      page[at + slot.hash] = hash
      page[at + slot.sides] = side
      page[at + slot.lastTrade] = this.append(bucket, usdE8, 0)
      this.countSlot(minute)
      return true
    }
    const sides = page[at + slot.sides]!
    if (sides === 3) return false
    if (sides === side) {
      page[at + slot.lastTrade] = this.append(bucket, usdE8, page[at + slot.lastTrade]!)
      return true
    }
    page[at + slot.sides] = 3
    for (let held = page[at + slot.lastTrade]!; held !== 0; ) {
      const trades = this.trades.page(held)
      const tradeAt = this.trades.at(held)
      takeBack(trades[tradeAt + trade.bucket]!, trades[tradeAt + trade.usdE8]!)
      held = trades[tradeAt + trade.previous]!
    }
    return false
  }

  /** Brings the wallet's slot into the cache. What it gives means nothing, but must be used. */
  touch(pairRow: number, hash: number): number {
    const row = this.firstIndex(pairRow, hash) + 1
    return this.slots.page(row)[this.slots.at(row)]!
  }

  private firstIndex(pairRow: number, hash: number): number {
    const mask = this.slots.page(0)[state.capacity]! - 1
    return (hash ^ Math.imul(pairRow, 0x9e3779b1)) & mask
  }

  private startMinute(minute: number): void {
    const header = this.slots.page(0)
    if (header[state.minute] === minute) return
    this.slots.saveHeader()
    header[state.minute] = minute
    header[state.used] = 0
    this.trades.head = this.trades.tail
  }

  private append(bucket: number, usdE8: number, previous: number): number {
    const row = this.trades.append()
    const page = this.trades.page(row)
    const at = this.trades.at(row)
    page[at + trade.bucket] = bucket
    page[at + trade.usdE8] = usdE8
    page[at + trade.previous] = previous
    return row
  }

  private find(minute: number, pairRow: number, hash: number): number {
    const mask = this.slots.page(0)[state.capacity]! - 1
    let index = this.firstIndex(pairRow, hash)
    for (;;) {
      const row = index + 1
      const page = this.slots.page(row)
      const at = this.slots.at(row)
      if (page[at + slot.minute] !== minute) return row
      if (page[at + slot.hash] === hash && page[at + slot.pair] === pairRow) return row
      index = (index + 1) & mask
    }
  }

  private countSlot(minute: number): void {
    this.slots.saveHeader()
    const header = this.slots.page(0)
    header[state.used]! += 1
    const capacity = header[state.capacity]!
    if (header[state.used]! * 4 <= capacity * 3) return
    const living: number[] = []
    for (let row = 1; row <= capacity; row += 1) {
      const page = this.slots.page(row)
      const at = this.slots.at(row)
      if (page[at + slot.minute] !== minute) continue
      for (let column = 0; column < slotColumns; column += 1) living.push(page[at + column]!)
      this.slots.save(row)
      page[at + slot.minute] = 0
    }
    header[state.capacity] = capacity * 2
    this.slots.allocRun(capacity)
    for (let from = 0; from < living.length; from += slotColumns) {
      const row = this.find(minute, living[from + slot.pair]!, living[from + slot.hash]!)
      this.slots.save(row)
      const at = this.slots.at(row)
      for (let column = 0; column < slotColumns; column += 1)
        this.slots.page(row)[at + column] = living[from + column]!
    }
  }
}
