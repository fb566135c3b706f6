import type { MarketState } from '../marketState.ts'
import { pairColumn as P, pairFlag } from '../tables/pairTable.ts'
import type { DayFacts, WindowReads } from '../windows/windowReads.ts'

// Work that a pair costs: a look at it is the unit, its sums and prices about ten, then its wallets and minutes.
export const lookWork = 1
const readWork = 10
const slotsPerWork = 32

// Of a pair, side by side: all of a ranking's pairs are looked at each time, and one line of the cache has eight numbers.
export const factColumn = {
  /** The pair's trading when it was read, 0: not read; from when until when it holds. */
  tradedBlock: 0,
  readAtS: 1,
  changesAtS: 2,
  /** The ranking that has seen the pair: one moved in the list of active pairs would come twice. */
  seenBy: 3,
  organicUsd: 4,
  makers: 5,
  changePercent: 6,
  /** The pair's target token. */
  tokenId: 7,
} as const
const F = factColumn
const width = 8

/**
 * Days of active pairs, each read again only when the pair has traded or a trade has left its day. By active row, so that they
 * take no room for pairs that nobody trades; they follow a pair that has moved to another row. After a revert everything must be
 * cleared.
 */
export class TrendingFacts {
  /** From `at` of an active row on, in the order of `factColumn`. */
  data = new Float64Array(0)
  private readonly state: MarketState
  private readonly windows: WindowReads
  private readonly day: DayFacts = { organicUsd: 0, makers: 0, changePercent: 0, changesAtS: 0 }
  /** By row: the pair row that the facts there are of, 0: none. */
  private owners = new Int32Array(0)
  /** Rows of pairs that the ranking has seen and that have left since: they may be back before it ends. */
  private readonly seenAndLeft = new Set<number>()
  private pass = 0

  constructor(state: MarketState, windows: WindowReads) {
    this.state = state
    this.windows = windows
    state.windows.active.followers.push((from, to) => this.move(from, to))
  }

  at(row: number): number {
    return row * width
  }

  clear(): void {
    this.owners.fill(0)
    this.data.fill(0)
  }

  startPass(): void {
    this.pass += 1
    this.seenAndLeft.clear()
  }

  /** Gives the work it was. A pair that does not count, or has been counted, has no makers after it. */
  refresh(row: number, nowS: number): number {
    const { pairs, windows } = this.state
    const pairRow = windows.active.pairOf(row)
    if (row >= this.owners.length) this.grow(windows.active.count + 1)
    const { data, owners } = this
    const to = this.at(row)
    if (owners[row] !== pairRow) {
      owners[row] = pairRow
      data.fill(0, to, to + width)
      if (this.seenAndLeft.has(pairRow)) data[to + F.seenBy] = this.pass
    }
    if (data[to + F.seenBy] === this.pass) {
      data[to + F.makers] = 0
      data[to + F.tradedBlock] = 0
      return lookWork
    }
    data[to + F.seenBy] = this.pass
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    const tradedBlock = page[at + P.tradedBlock]!
    const isKnown =
      data[to + F.tradedBlock] === tradedBlock &&
      nowS >= data[to + F.readAtS]! &&
      nowS < data[to + F.changesAtS]!
    if (isKnown) return lookWork
    data[to + F.tradedBlock] = tradedBlock
    data[to + F.readAtS] = nowS
    data[to + F.tokenId] = page[at + P.targetToken]!
    // Only trusted pairs count: any contract can say that it was traded.
    if ((page[at + P.flags]! & pairFlag.mayPrice) === 0) {
      data[to + F.makers] = 0
      data[to + F.changesAtS] = Number.POSITIVE_INFINITY
      return lookWork
    }
    const { day } = this
    this.windows.day(pairRow, nowS, day)
    data[to + F.organicUsd] = day.organicUsd
    data[to + F.makers] = day.makers
    data[to + F.changePercent] = day.changePercent
    data[to + F.changesAtS] = day.changesAtS
    return lookWork + readWork + this.windows.slotsOf(row) / slotsPerWork
  }

  /** The pair that is at `to` leaves, that at `from` takes its place. */
  private move(from: number, to: number): void {
    const { data, owners } = this
    if (to < owners.length && data[this.at(to) + F.seenBy] === this.pass)
      this.seenAndLeft.add(owners[to]!)
    if (from >= owners.length) return
    data.copyWithin(this.at(to), this.at(from), this.at(from + 1))
    owners[to] = owners[from]!
    owners[from] = 0
  }

  private grow(count: number): void {
    const length = Math.max(count, this.owners.length * 2)
    const data = new Float64Array(this.at(length))
    const owners = new Int32Array(length)
    data.set(this.data)
    owners.set(this.owners)
    this.data = data
    this.owners = owners
  }
}
