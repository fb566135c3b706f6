import { AccountRate } from '../peers/accountRate.ts'
import { type CreditPeriod, creditPeriodAt } from './creditPeriod.ts'

/** The processes that serve the same account. */
export type AccountPeers = {
  /** This one among them. */
  count(): number
  rateOf(accountId: number): AccountRate
}

type AccountOptions = {
  storedCost: number
  nowMs: number
  /** @default none */
  peers?: AccountPeers | undefined
}

// A plan may be passed by so much of its credits, by all processes together.
const overshoot = 0.01

/**
 * What the keys of one account have used, as far as this process knows: what is stored, by all processes, and what
 * it has not written yet.
 */
export class Account {
  readonly id: number
  readonly #peers: AccountPeers
  #period: CreditPeriod
  #storedCost: number
  /** Below zero when what was written is given back. */
  #unwrittenCost = 0
  /** Counted here since the sum of all was last read, or on its way to it then. */
  #unreadCost = 0

  constructor(id: number, { storedCost, nowMs, peers = nobodyElse(id) }: AccountOptions) {
    this.id = id
    this.#peers = peers
    this.#period = creditPeriodAt(nowMs)
    this.#storedCost = storedCost
  }

  get rate(): AccountRate {
    return this.#peers.rateOf(this.id)
  }

  periodAt(nowMs: number): CreditPeriod {
    const { startMs, endMs } = this.#period
    if (nowMs >= endMs || nowMs < startMs) {
      this.#period = creditPeriodAt(nowMs)
      this.#storedCost = 0
      this.#unwrittenCost = 0
      this.#unreadCost = 0
    }
    return this.#period
  }

  /** Credit units used in the period of this moment. */
  used(nowMs: number): number {
    this.periodAt(nowMs)
    return Math.max(0, this.#storedCost + this.#unwrittenCost)
  }

  /**
   * May a cost be counted without knowing what the others have counted since the last reading? Then all together pass a plan by less than the sum
   * of what each counts between two readings.
   */
  isCovered(cost: number, creditsPerPeriod: number): boolean {
    const count = this.#peers.count()
    return count === 1 || this.#unreadCost + cost <= (overshoot * creditsPerPeriod) / count
  }

  /** Counts a cost, or gives it back when below zero. */
  add(cost: number, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#unwrittenCost += cost
    this.#unreadCost += cost
  }

  /** A cost that was counted is now in the store. */
  written(cost: number, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#unwrittenCost -= cost
    this.#storedCost += cost
  }

  /** The sum of all processes, read when all that this one had sent was written. */
  setStored(cost: number, periodNumber: number): void {
    if (periodNumber !== this.#period.number) return
    this.#storedCost = cost
    this.#unreadCost = this.#unwrittenCost
  }
}

function nobodyElse(id: number): AccountPeers {
  const rate = new AccountRate(id)
  return { count: () => 1, rateOf: () => rate }
}
