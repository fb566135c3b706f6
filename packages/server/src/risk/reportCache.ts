import { numbersApart } from '../model/block.ts'
import type { RiskLimits } from './riskLimits.ts'
import type { RiskReport } from './riskReport.ts'

export type ReportCache = {
  /** The last report of a token, whatever its age. */
  last(address: string): RiskReport | null
  /** One that may be given out again for this block; counts as a use. */
  fresh(address: string, blockNumber: number): RiskReport | null
  keep(address: string, report: RiskReport): void
  /** Does another cached report of this creator say honeypot? */
  hasHoneypotBeside(address: string, creator: string): boolean
  size(): number
}

export type ReportCacheOptions = {
  limits: Pick<RiskLimits, 'reportsMax' | 'reportBlocksMax' | 'reportAgeSMax'>
  clock: { nowMs(): number }
}

export function createReportCache({ limits, clock }: ReportCacheOptions): ReportCache {
  /** Least recently used first. */
  const reports = new Map<string, { report: RiskReport; madeMs: number }>()
  /** Honeypots among the reports, by creator. */
  const honeypots = new Map<string, Set<string>>()

  function drop(address: string): void {
    const creator = reports.get(address)?.report.creator?.address
    reports.delete(address)
    if (creator === undefined) return
    const found = honeypots.get(creator)
    found?.delete(address)
    if (found?.size === 0) honeypots.delete(creator)
  }

  return {
    last: (address) => reports.get(address)?.report ?? null,
    fresh(address, blockNumber) {
      const cached = reports.get(address)
      if (cached === undefined) return null
      const ageBlocks = numbersApart(cached.report.block.number, blockNumber)
      const ageMs = clock.nowMs() - cached.madeMs
      // A block below that of the report: the chain went back, and what the report saw may be gone.
      if (ageBlocks < 0 || ageBlocks >= limits.reportBlocksMax) return null
      if (ageMs >= limits.reportAgeSMax * 1_000) return null
      reports.delete(address)
      reports.set(address, cached)
      return cached.report
    },
    keep(address, report) {
      drop(address)
      reports.set(address, { report, madeMs: clock.nowMs() })
      const creator = report.creator?.address
      if (report.isHoneypot && creator !== undefined)
        honeypots.set(creator, (honeypots.get(creator) ?? new Set()).add(address))
      if (reports.size > limits.reportsMax) drop(reports.keys().next().value!)
    },
    hasHoneypotBeside: (address, creator) =>
      [...(honeypots.get(creator) ?? [])].some((other) => other !== address),
    size: () => reports.size,
  }
}
