import { agoNone, isKept, type Makers, newestUnit, sellBit, slotColumns } from './makers.ts'
import { windowsS } from './marketReads.ts'
import { pairColumn as P } from './pairTable.ts'

/** A pair's row: the page it is in and where it begins there. */
export type PairAt = { data: Float64Array; at: number }

const windows = windowsS.length
// With more tables a wallet is found sooner in a map than in each of them.
const searchedTablesMax = 4

/**
 * Distinct wallets of a pair, or of several pairs together, in every rolling window: one walk over the slots for all
 * windows, as each holds the shorter ones. Counts are of the last walk.
 */
export class MakerCounts {
  readonly makers = new Float64Array(windows)
  readonly buyers = new Float64Array(windows)
  readonly sellers = new Float64Array(windows)
  private readonly table: Makers
  /** A window counts trades after this 5-second bucket; as a bucket, and as a slot's trades begin. */
  private readonly afters = new Float64Array(windows)
  private readonly froms = new Float64Array(windows)
  private boughtAt = 0
  private soldAt = 0

  constructor(table: Makers) {
    this.table = table
  }

  /** `afterOf` falls from the shortest window to the longest. */
  count(pairs: readonly PairAt[], afterOf: (window: number) => number): void {
    const { makers, buyers, sellers } = this
    for (let window = 0; window < windows; window += 1) {
      const after = afterOf(window)
      this.afters[window] = after
      this.froms[window] = (after + 1) * newestUnit
      makers[window] = 0
      buyers[window] = 0
      sellers[window] = 0
    }
    const [first] = pairs
    if (first === undefined) return
    const level = pairs.length === 1 ? first.data[first.at + P.makersLevel]! : this.levelOf(pairs)
    if (pairs.length <= searchedTablesMax) this.countBySearch(pairs, level)
    else this.countByMap(pairs, level)
    // So far each wallet is in the shortest window that has it only.
    const factor = 2 ** level
    for (let window = 0; window < windows; window += 1) {
      const shorter = window - 1
      makers[window] = makers[window]! * factor + (window === 0 ? 0 : makers[shorter]!)
      buyers[window] = buyers[window]! * factor + (window === 0 ? 0 : buyers[shorter]!)
      sellers[window] = sellers[window]! * factor + (window === 0 ? 0 : sellers[shorter]!)
    }
  }

  /** At which level wallets are sampled: that of the pair with the most, or more when all of them are too many. */
  private levelOf(pairs: readonly PairAt[]): number {
    let level = 0
    let total = 0
    for (const { data, at } of pairs) {
      total += data[at + P.makersCount]! * 2 ** data[at + P.makersLevel]!
      level = Math.max(level, data[at + P.makersLevel]!)
    }
    while (total > this.table.exactMax * 2 ** (level + 1)) level += 1
    return level
  }

  /** The largest table is counted; of the others each wallet adds what the tables before it do not have. */
  private countBySearch(pairs: readonly PairAt[], level: number): void {
    const sizeOf = ({ data, at }: PairAt) => data[at + P.makersCapacity]!
    const tables = pairs.length === 1 ? pairs : [...pairs].sort((a, b) => sizeOf(b) - sizeOf(a))
    this.countTable(tables[0]!, level)
    for (let index = 1; index < tables.length; index += 1)
      this.forEach(tables[index]!, level, (hash, boughtAt, soldAt) => {
        this.find(tables, index, hash)
        const boughtBefore = this.boughtAt
        const soldBefore = this.soldAt
        if (boughtAt <= boughtBefore && soldAt <= soldBefore) return
        this.add(boughtBefore, soldBefore, -1)
        this.add(Math.max(boughtAt, boughtBefore), Math.max(soldAt, soldBefore), 1)
      })
  }

  private countByMap(pairs: readonly PairAt[], level: number): void {
    const bought = new Map<number, number>()
    const sold = new Map<number, number>()
    for (const pair of pairs)
      this.forEach(pair, level, (hash, boughtAt, soldAt) => {
        bought.set(hash, Math.max(boughtAt, bought.get(hash) ?? 0))
        sold.set(hash, Math.max(soldAt, sold.get(hash) ?? 0))
      })
    for (const [hash, boughtAt] of bought) this.add(boughtAt, sold.get(hash)!, 1)
  }

  /** Without calls: this is most of the time that reading a busy pair takes. */
  private countTable({ data: pair, at }: PairAt, level: number): void {
    const { froms, makers, buyers, sellers } = this
    const { slots } = this.table
    const isSampled = level > pair[at + P.makersLevel]!
    const dayFrom = froms[windows - 1]!
    let row = pair[at + P.makersBase]!
    const endRow = row + pair[at + P.makersCapacity]!
    while (row < endRow) {
      const page = slots.page(row)
      const from = slots.at(row)
      const rows = Math.min(endRow - row, slots.mask + 1 - (row & slots.mask))
      row += rows
      const end = from + rows * slotColumns
      for (let slot = from; slot < end; slot += slotColumns) {
        const trades = page[slot + 1]!
        if (trades < dayFrom || (isSampled && !isKept(page[slot]!, level))) continue
        let window = windows - 1
        while (window > 0 && trades >= froms[window - 1]!) window -= 1
        makers[window]! += 1
        const newest = Math.floor(trades / newestUnit)
        const low = trades - newest * newestUnit
        const isSell = low >= sellBit
        if (isSell) sellers[window]! += 1
        else buyers[window]! += 1
        const ago = isSell ? low - sellBit : low
        if (ago === agoNone) continue
        const other = this.windowOf(newest - ago)
        if (other === windows) continue
        if (isSell) buyers[other]! += 1
        else sellers[other]! += 1
      }
    }
  }

  /** Those of the level that traded in a day. */
  private forEach(
    { data: pair, at }: PairAt,
    level: number,
    visit: (hash: number, boughtAt: number, soldAt: number) => void,
  ): void {
    const { slots } = this.table
    const dayFrom = this.froms[windows - 1]!
    const base = pair[at + P.makersBase]!
    const end = base + pair[at + P.makersCapacity]!
    for (let row = base; row < end; row += 1) {
      const page = slots.page(row)
      const slot = slots.at(row)
      const trades = page[slot + 1]!
      if (trades < dayFrom || !isKept(page[slot]!, level)) continue
      this.read(trades)
      visit(page[slot]!, this.boughtAt, this.soldAt)
    }
  }

  /** When a wallet last bought and sold in the first `count` tables; 0: never. */
  private find(tables: readonly PairAt[], count: number, hash: number): void {
    const { slots } = this.table
    let boughtAt = 0
    let soldAt = 0
    for (let index = 0; index < count; index += 1) {
      const { data, at } = tables[index]!
      if (data[at + P.makersCapacity] === 0) continue
      const row = this.table.find(data[at + P.makersBase]!, data[at + P.makersCapacity]!, hash)
      const trades = slots.page(row)[slots.at(row) + 1]!
      if (trades === 0) continue
      this.read(trades)
      boughtAt = Math.max(boughtAt, this.boughtAt)
      soldAt = Math.max(soldAt, this.soldAt)
    }
    this.boughtAt = boughtAt
    this.soldAt = soldAt
  }

  private read(trades: number): void {
    const newest = Math.floor(trades / newestUnit)
    const low = trades - newest * newestUnit
    const ago = low & agoNone
    const other = ago === agoNone ? 0 : newest - ago
    const isSell = low >= sellBit
    this.boughtAt = isSell ? other : newest
    this.soldAt = isSell ? newest : other
  }

  private add(boughtAt: number, soldAt: number, count: number): void {
    const bought = this.windowOf(boughtAt)
    const sold = this.windowOf(soldAt)
    if (bought < windows) this.buyers[bought]! += count
    if (sold < windows) this.sellers[sold]! += count
    const either = Math.min(bought, sold)
    if (either < windows) this.makers[either]! += count
  }

  /** The shortest window that has the bucket; none: as many as there are. */
  private windowOf(bucket: number): number {
    let window = windows
    while (window > 0 && bucket > this.afters[window - 1]!) window -= 1
    return window
  }
}
