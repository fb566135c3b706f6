import type { Trade } from '../prices/trade.ts'
import { columnNames } from '../tables/columnNames.ts'
import { RowLog } from '../tables/rowLog.ts'
import { RowTable } from '../tables/rowTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'

/** Two trades of one wallet, one each way, that are at most this far apart are a round trip. */
const roundTripS = 60

/**
 * One trade. The newest one of a wallet on a pair says all there is to know of those before it, so that only it is
 * found by its hash.
 */
const column = {
  pair: 0,
  hash: 1,
  /** When it was, negative for a sell. */
  atS: 2,
  /** When the wallet last traded the other way before it. */
  otherAtS: 3,
  /** The next trade to look at for the same place among the heads. */
  next: 4,
  /** The wallet's trade before it that is organic so far too, 0 for none; `notHeld` when it is not itself. */
  held: 5,
  /** The 5-second bucket it was counted in. */
  bucket: 6,
  usdE8: 7,
} as const
const columns = columnNames(column)
const notHeld = -1

const headColumns = 2
// Enough for a quiet chain's minute; doubles when there are more trades in a minute.
const firstHeads = 1 << 10

/**
 * Finds trades of a wallet that traded the same pair the other way within a minute, before or after. The earlier of
 * them are taken out of organic volume afterwards.
 */
export class RoundTrips {
  /** By hash of pair and wallet the newest trade there; one that has left the log is none. */
  readonly heads: RowTable
  /** Trades of the last minute, oldest first. */
  readonly trades: RowLog
  /** What `find` found: the head it began with, the wallet's newest trade and the one that leads to it, 0 for none. */
  private index = 0
  private own = 0
  private before = 0

  constructor(undo: UndoLog) {
    this.heads = new RowTable(undo, { name: 'roundTripHeads', columns: ['even', 'odd'] })
    this.trades = new RowLog(undo, { name: 'roundTrips', columns })
    this.heads.allocRun(firstHeads / headColumns)
  }

  /** Lets go of trades that are too old to be half of a round trip. */
  startBlock(timeS: number): void {
    const { trades } = this
    for (let row = trades.head; row < trades.tail; row += 1) {
      if (Math.abs(trades.page(row)[trades.at(row) + column.atS]!) >= timeS - roundTripS) break
      trades.head = row + 1
    }
  }

  /**
   * Takes a trade in; true when it is organic so far. `subtract` gets each earlier trade of the
   * wallet that is organic no more: when it was and the 5-second bucket it was counted in.
   */
  isOrganic(
    facts: Readonly<Trade>,
    bucket: number,
    subtract: (atS: number, bucket: number, usdE8: number) => void,
  ): boolean {
    const { pairRow, hash, isBuy, timeS } = facts
    const { trades } = this
    this.find(pairRow, hash)
    const { own } = this
    let otherAtS = 0
    let held = 0
    if (own !== 0) {
      const page = trades.page(own)
      const at = trades.at(own)
      const atS = page[at + column.atS]!
      const isOther = atS > 0 !== isBuy
      otherAtS = isOther ? Math.abs(atS) : page[at + column.otherAtS]!
      const isHeld = page[at + column.held] !== notHeld
      if (timeS - otherAtS <= roundTripS) {
        // What is held went the other way: this way it would have met the other trade before.
        if (isHeld) this.subtractFrom(own, subtract)
        held = notHeld
      } else if (isHeld) held = own
    }
    this.append(facts, bucket, otherAtS, held)
    return held !== notHeld
  }

  private subtractFrom(
    newest: number,
    subtract: (atS: number, bucket: number, usdE8: number) => void,
  ): void {
    const { trades } = this
    for (let row = newest; row >= trades.head; ) {
      const page = trades.page(row)
      const at = trades.at(row)
      const atS = Math.abs(page[at + column.atS]!)
      subtract(atS, page[at + column.bucket]!, page[at + column.usdE8]!)
      row = page[at + column.held]!
    }
  }

  private find(pairRow: number, hash: number): void {
    const { heads, trades } = this
    const index = this.indexOf(pairRow, hash)
    this.index = index
    let row = heads.page(headRow(index))[heads.at(headRow(index)) + (index & 1)]!
    this.before = 0
    while (row >= trades.head) {
      const page = trades.page(row)
      const at = trades.at(row)
      if (page[at + column.hash] === hash && page[at + column.pair] === pairRow) {
        this.own = row
        return
      }
      this.before = row
      row = page[at + column.next]!
    }
    this.own = 0
  }

  /** In the place of the wallet's trade that was found. */
  private append(
    { pairRow, hash, isBuy, timeS, usdE8 }: Readonly<Trade>,
    bucket: number,
    otherAtS: number,
    held: number,
  ): void {
    const { trades, own, before } = this
    const row = trades.append()
    const page = trades.page(row)
    const at = trades.at(row)
    page[at + column.pair] = pairRow
    page[at + column.hash] = hash
    page[at + column.atS] = isBuy ? timeS : -timeS
    page[at + column.otherAtS] = otherAtS
    page[at + column.held] = held
    page[at + column.bucket] = bucket
    page[at + column.usdE8] = usdE8
    this.link(this.index, row, page, at)
    if (own !== 0) {
      const next = trades.page(own)[trades.at(own) + column.next]!
      if (before === 0) page[at + column.next] = next
      else {
        trades.save(before)
        trades.page(before)[trades.at(before) + column.next] = next
      }
    }
    if (trades.tail - trades.head > this.headCount) this.grow()
  }

  /** Makes a trade the first to look at. */
  private link(index: number, row: number, page: Float64Array, at: number): void {
    const { heads } = this
    const inRow = headRow(index)
    const headPage = heads.page(inRow)
    const headAt = heads.at(inRow) + (index & 1)
    heads.save(inRow)
    page[at + column.next] = headPage[headAt]!
    headPage[headAt] = row
  }

  private get headCount(): number {
    return (this.heads.count - 1) * headColumns
  }

  private indexOf(pairRow: number, hash: number): number {
    return (hash ^ Math.imul(pairRow, 0x9e3779b1)) & (this.headCount - 1)
  }

  /** Trades whose place was taken come back, behind the newer ones of their wallets. */
  private grow(): void {
    const { heads, trades } = this
    const { count } = heads
    for (let row = 1; row < count; row += 1) {
      heads.save(row)
      heads.page(row).fill(0, heads.at(row), heads.at(row) + headColumns)
    }
    heads.allocRun(count - 1)
    for (let row = trades.head; row < trades.tail; row += 1) {
      trades.save(row)
      const page = trades.page(row)
      const at = trades.at(row)
      const index = this.indexOf(page[at + column.pair]!, page[at + column.hash]!)
      this.link(index, row, page, at)
    }
  }
}

function headRow(index: number): number {
  return 1 + (index >>> 1)
}
