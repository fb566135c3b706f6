import type { ReportCache } from './reportCache.ts'
import type { RiskReport } from './riskReport.ts'

/** What goes between the reports in memory and those that are stored. */
export type ReportBook = {
  /** A report was made here. */
  made(address: string, report: RiskReport): void
  /** Those that were made here and are not stored yet, by the tokens' addresses. */
  unstored(): ReadonlyMap<string, RiskReport>
  stored(address: string, report: RiskReport): void
  /** One that was stored; left where a later one is known. */
  restore(address: string, report: RiskReport): void
}

/** `unstoredMax`: more are not kept for a store that is away. */
export function createReportBook(
  cache: Pick<ReportCache, 'last' | 'keep'>,
  unstoredMax: number,
): ReportBook {
  const unstored = new Map<string, RiskReport>()
  return {
    made(address, report) {
      if (unstored.size < unstoredMax) unstored.set(address, report)
    },
    unstored: () => unstored,
    stored(address, report) {
      // A later one may have been made meanwhile.
      if (unstored.get(address) === report) unstored.delete(address)
    },
    restore(address, report) {
      const last = cache.last(address)
      if (last !== null && last.block.number >= report.block.number) return
      cache.keep(address, report, report.block.timeS * 1_000)
    },
  }
}
