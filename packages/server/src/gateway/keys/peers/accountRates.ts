import { AccountRate, type RateSharers } from './accountRate.ts'
import type { RateReport } from './peerNotice.ts'

/** The requests of all accounts that are in use, here or at another process. */
export class AccountRates {
  readonly #sharers: RateSharers
  readonly #byAccount = new Map<number, AccountRate>()

  constructor(sharers: RateSharers) {
    this.#sharers = sharers
  }

  of(accountId: number): AccountRate {
    const known = this.#byAccount.get(accountId)
    if (known !== undefined) return known
    const rate = new AccountRate(accountId, this.#sharers)
    this.#byAccount.set(accountId, rate)
    return rate
  }

  /** What was done here since the last time; accounts of which there is nothing to know are let go. */
  reports(nowMs: number): RateReport[] {
    const reports: RateReport[] = []
    for (const [accountId, rate] of this.#byAccount) {
      const report = rate.report()
      if (report !== null) reports.push(report)
      else if (rate.isIdle(nowMs)) this.#byAccount.delete(accountId)
    }
    return reports
  }

  heard(peer: string, reports: readonly RateReport[], nowMs: number): void {
    for (const report of reports) this.of(report[0]).heard(peer, report, nowMs)
  }

  forget(peer: string): void {
    for (const rate of this.#byAccount.values()) rate.forget(peer)
  }
}
