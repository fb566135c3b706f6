import type { MarketState } from '../marketState.ts'
import { pairColumn as P, pairFlag } from '../tables/pairTable.ts'
import type { DayFacts, WindowReads } from '../windows/windowReads.ts'

// Work that a pair costs: a look at it is the unit, its sums and prices about ten, then its wallets and minutes.
export const lookWork = 1
const readWork = 10
const slotsPerWork = 32

/**
 * Days of pairs, each read again only when the pair has traded or a trade has left its day. By pair row. After a revert
 * everything must be cleared.
 */
export class TrendingFacts {
  organicUsd = new Float64Array(0)
  makers = new Float64Array(0)
  changePercent = new Float64Array(0)
  /** The pair's target token. */
  tokenIds = new Float64Array(0)
  private readonly state: MarketState
  private readonly windows: WindowReads
  private readonly day: DayFacts = { organicUsd: 0, makers: 0, changePercent: 0, changesAtS: 0 }
  /** The pair's trading when it was read, 0: not read; from when until when it holds. */
  private tradedBlock = new Float64Array(0)
  private readAtS = new Float64Array(0)
  private changesAtS = new Float64Array(0)
  /** The ranking that has seen the pair: one moved in the list of active pairs would come twice. */
  private seenBy = new Float64Array(0)
  private pass = 0

  constructor(state: MarketState, windows: WindowReads) {
    this.state = state
    this.windows = windows
  }

  clear(): void {
    this.tradedBlock.fill(0)
  }

  startPass(): void {
    this.pass += 1
  }

  /** Gives the work it was. A pair that does not count, or has been counted, has no makers after it. */
  refresh(pairRow: number, nowS: number): number {
    const { pairs } = this.state
    if (pairRow >= this.makers.length) this.grow(pairs.count)
    if (this.seenBy[pairRow] === this.pass) {
      this.makers[pairRow] = 0
      this.tradedBlock[pairRow] = 0
      return lookWork
    }
    this.seenBy[pairRow] = this.pass
    const page = pairs.page(pairRow)
    const at = pairs.at(pairRow)
    const tradedBlock = page[at + P.tradedBlock]!
    const isKnown =
      this.tradedBlock[pairRow] === tradedBlock &&
      nowS >= this.readAtS[pairRow]! &&
      nowS < this.changesAtS[pairRow]!
    if (isKnown) return lookWork
    this.tradedBlock[pairRow] = tradedBlock
    this.tokenIds[pairRow] = page[at + P.targetToken]!
    // Only trusted pairs count: any contract can say that it was traded.
    if ((page[at + P.flags]! & pairFlag.mayPrice) === 0) {
      this.makers[pairRow] = 0
      this.readAtS[pairRow] = nowS
      this.changesAtS[pairRow] = Number.POSITIVE_INFINITY
      return lookWork
    }
    const { day } = this
    this.windows.day(pairRow, nowS, day)
    this.organicUsd[pairRow] = day.organicUsd
    this.makers[pairRow] = day.makers
    this.changePercent[pairRow] = day.changePercent
    this.changesAtS[pairRow] = day.changesAtS
    this.readAtS[pairRow] = nowS
    return lookWork + readWork + this.windows.slotsOf(pairRow) / slotsPerWork
  }

  private grow(count: number): void {
    const grown = (data: Float64Array) => {
      const longer = new Float64Array(Math.max(count, data.length * 2))
      longer.set(data)
      return longer
    }
    this.organicUsd = grown(this.organicUsd)
    this.makers = grown(this.makers)
    this.changePercent = grown(this.changePercent)
    this.tokenIds = grown(this.tokenIds)
    this.seenBy = grown(this.seenBy)
    this.tradedBlock = grown(this.tradedBlock)
    this.readAtS = grown(this.readAtS)
    this.changesAtS = grown(this.changesAtS)
  }
}
