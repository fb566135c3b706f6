import { type CreditPeriod, creditPeriodAt } from './creditPeriod.ts'
import { TokenBucket } from './tokenBucket.ts'

/**
 * What the keys of one account have used, as far as this process knows: what is stored, by all processes, and what
 * it has not written yet.
 */
export class Account {
  readonly id: number
  readonly bucket = new TokenBucket()
  #period: CreditPeriod
  #storedCost: number
  /** Below zero when what was written is given back. */
  #unwrittenCost = 0

  constructor(id: number, { storedCost, nowMs }: { storedCost: number; nowMs: number }) {
    this.id = id
    this.#period = creditPeriodAt(nowMs)
    this.#storedCost = storedCost
  }

  periodAt(nowMs: number): CreditPeriod {
    const { startMs, endMs } = this.#period
    if (nowMs >= endMs || nowMs < startMs) {
      this.#period = creditPeriodAt(nowMs)
      this.#storedCost = 0
      this.#unwrittenCost = 0
    }
    return this.#period
  }

  /** Credit units used in the period of this moment. */
  used(nowMs: number): number {
    this.periodAt(nowMs)
    return Math.max(0, this.#storedCost + this.#unwrittenCost)
  }

  /** Counts a cost, or gives it back when below zero. */
  add(cost: number, periodNumber: number): void {
    if (periodNumber === this.#period.number) this.#unwrittenCost += cost
  }

  /** A cost that was counted is now in the store. */
  written(cost: number, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#unwrittenCost -= cost
    this.#storedCost += cost
  }

  /** The sum of all processes, read when all that this one had sent was written. */
  setStored(cost: number, periodNumber: number): void {
    if (periodNumber === this.#period.number) this.#storedCost = cost
  }
}
