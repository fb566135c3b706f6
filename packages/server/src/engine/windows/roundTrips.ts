import { RowLog } from '../tables/rowLog.ts'
import { columnNames, RowTable } from '../tables/rowTable.ts'
import type { Trade } from '../tables/trade.ts'
import type { UndoLog } from '../tables/undoLog.ts'

/** Maximum distance of two opposite trades of one wallet that count as a round trip. */
const roundTripS = 60

/**
 * One trade. The newest trade of a wallet on a pair carries all needed facts about the earlier
 * ones, so only the newest is found by its hash.
 */
const column = {
  pair: 0,
  hash: 1,
  /** Time of the trade, negative for a sell. */
  atS: 2,
  /** Time of the wallet's newest earlier trade in the other direction. */
  otherAtS: 3,
  /** Next trade in the same hash chain. */
  next: 4,
  /**
   * The wallet's previous trade that is still organic, 0 if none exists; -1 if this trade is not
   * organic itself.
   */
  held: 5,
  /** The 5-second bucket that counted the trade. */
  bucket: 6,
  usdE8: 7,
} as const
const columns = columnNames(column)
const notOrganic = -1

const headColumns = 2
// Initial number of hash chains, enough for one minute of a quiet chain; doubles with more trades
// per minute.
const firstHeads = 1 << 10

/**
 * Finds round trips: trades of a wallet that traded the same pair in the other direction within a
 * minute, before or after. When the second half is traded, the first is subtracted from organic
 * volume.
 */
export class RoundTrips {
  /**
   * First trade of each hash chain, by hash of pair and wallet; a trade that left the log ends its
   * chain.
   */
  readonly heads: RowTable
  /** Trades of the last minute, oldest first. */
  readonly trades: RowLog
  /**
   * Results of `find`: the hash chain, the wallet's newest trade, and the trade before it in the
   * chain; 0 if none.
   */
  #chainIndex = 0
  #newestTrade = 0
  #previousInChain = 0

  constructor(undo: UndoLog) {
    this.heads = new RowTable(undo, { name: 'roundTripHeads', columns: ['even', 'odd'] })
    this.trades = new RowLog(undo, { name: 'roundTrips', columns })
    this.heads.allocRun(firstHeads / headColumns)
  }

  /** Removes trades that are too old to be half of a round trip. */
  startBlock(timeS: number): void {
    const { trades } = this
    for (let row = trades.head; row < trades.tail; row += 1) {
      if (Math.abs(trades.page(row)[trades.at(row) + column.atS]!) >= timeS - roundTripS) break
      trades.head = row + 1
    }
  }

  /**
   * Adds a trade; returns true if it is organic so far. `subtract` receives each earlier trade of
   * the wallet that stops being organic: its time, its 5-second bucket and its volume.
   */
  addTrade(
    facts: Readonly<Trade>,
    bucket: number,
    subtract: (atS: number, bucket: number, usdE8: number) => void,
  ): boolean {
    const { pairRow, hash, isBuy, timeS } = facts
    const { trades } = this
    this.#find(pairRow, hash)
    const newestTrade = this.#newestTrade
    let otherAtS = 0
    let held = 0
    if (newestTrade !== 0) {
      const page = trades.page(newestTrade)
      const at = trades.at(newestTrade)
      const atS = page[at + column.atS]!
      const isOther = atS > 0 !== isBuy
      otherAtS = isOther ? Math.abs(atS) : page[at + column.otherAtS]!
      const isHeld = page[at + column.held] !== notOrganic
      if (timeS - otherAtS <= roundTripS) {
        // All trades that are still organic went the other way: one in this direction would already
        // form a round trip with the other trade.
        if (isHeld) this.#subtractOrganic(newestTrade, subtract)
        held = notOrganic
      } else if (isHeld) held = newestTrade
    }
    this.#append(facts, bucket, otherAtS, held)
    return held !== notOrganic
  }

  #subtractOrganic(
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

  #find(pairRow: number, hash: number): void {
    const { heads, trades } = this
    const index = this.#indexOf(pairRow, hash)
    this.#chainIndex = index
    let row = heads.page(headRow(index))[heads.at(headRow(index)) + (index & 1)]!
    this.#previousInChain = 0
    while (row >= trades.head) {
      const page = trades.page(row)
      const at = trades.at(row)
      if (page[at + column.hash] === hash && page[at + column.pair] === pairRow) {
        this.#newestTrade = row
        return
      }
      this.#previousInChain = row
      row = page[at + column.next]!
    }
    this.#newestTrade = 0
  }

  /** Adds a trade, replacing the wallet's previous trade in the hash chain. */
  #append(
    { pairRow, hash, isBuy, timeS, usdE8 }: Readonly<Trade>,
    bucket: number,
    otherAtS: number,
    held: number,
  ): void {
    const { trades } = this
    const newestTrade = this.#newestTrade
    const previousInChain = this.#previousInChain
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
    this.#linkFirst(this.#chainIndex, row, page, at)
    if (newestTrade !== 0) {
      const next = trades.page(newestTrade)[trades.at(newestTrade) + column.next]!
      if (previousInChain === 0) page[at + column.next] = next
      else {
        trades.save(previousInChain)
        trades.page(previousInChain)[trades.at(previousInChain) + column.next] = next
      }
    }
    if (trades.tail - trades.head > this.#headCount) this.#grow()
  }

  /** Makes a trade the first of its hash chain. */
  #linkFirst(index: number, row: number, page: Float64Array, at: number): void {
    const { heads } = this
    const inRow = headRow(index)
    const headPage = heads.page(inRow)
    const headAt = heads.at(inRow) + (index & 1)
    heads.save(inRow)
    page[at + column.next] = headPage[headAt]!
    headPage[headAt] = row
  }

  get #headCount(): number {
    return (this.heads.count - 1) * headColumns
  }

  #indexOf(pairRow: number, hash: number): number {
    return (hash ^ Math.imul(pairRow, 0x9e3779b1)) & (this.#headCount - 1)
  }

  /**
   * Doubles the number of hash chains and links all trades again, newest first. Replaced trades
   * return to the chains, after newer ones of their wallets.
   */
  #grow(): void {
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
      const index = this.#indexOf(page[at + column.pair]!, page[at + column.hash]!)
      this.#linkFirst(index, row, page, at)
    }
  }
}

function headRow(index: number): number {
  return 1 + (index >>> 1)
}
