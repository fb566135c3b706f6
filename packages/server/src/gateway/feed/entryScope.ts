import type { Kline } from '../../model/kline.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { PairDay } from './pairDay.ts'
import { readPairDay } from './pairDay.ts'
import { klineDayFields } from './topics/kline.ts'
import { type PriceStep, priceEntry } from './topics/price.ts'

/** What pushes of one moment share: each pair is read once, each text is made once. */
export class EntryScope {
  readonly market: ChainMarket
  readonly sentMs: number
  readonly nowS: number
  private readonly days = new Map<number, PairDay>()
  private readonly dayFields = new Map<number, string>()
  private readonly steps = new Map<number, PriceStep>()
  private readonly entries = new Map<number, string>()

  /** `windowEnd`: block for what a block brings, so that every server says the same of it. */
  constructor(market: ChainMarket, nowMs: number, windowEnd: 'block' | 'now') {
    const headS = market.chain.reads.head()?.timeS ?? 0
    this.market = market
    this.sentMs = nowMs
    this.nowS = windowEnd === 'block' ? headS : Math.max(Math.floor(nowMs / 1_000), headS)
  }

  /** The pair's price changed in the entry at hand. */
  setStep(pairId: number, step: PriceStep): void {
    this.steps.set(pairId, step)
  }

  priceEntry(pairId: number): string {
    let entry = this.entries.get(pairId)
    if (entry === undefined) {
      const day = this.day(pairId)
      const step = this.steps.get(pairId) ?? { now: day.priceUsd, before: day.priceUsd }
      const isMain = this.market.isMainPair(day.state)
      entry = priceEntry(this.market.facts.get(pairId), day, step, isMain)
      this.entries.set(pairId, entry)
    }
    return entry
  }

  klineFields(pairId: number): string {
    let fields = this.dayFields.get(pairId)
    if (fields === undefined) {
      fields = klineDayFields(this.market.facts.get(pairId), this.day(pairId))
      this.dayFields.set(pairId, fields)
    }
    return fields
  }

  openKline(pairId: number, interval: number): Kline | null {
    return this.market.chain.reads.openKline(pairId, interval)
  }

  private day(pairId: number): PairDay {
    let day = this.days.get(pairId)
    if (day === undefined) {
      day = readPairDay(this.market.chain, pairId, this.nowS)
      this.days.set(pairId, day)
    }
    return day
  }
}
