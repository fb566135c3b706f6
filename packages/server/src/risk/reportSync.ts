import type { ReportCache } from './reportCache.ts'
import type { RiskReport } from './riskReport.ts'

/** Moves risk reports between memory and the store. */
export type ReportSync = {
  /** Records a report made by this process. */
  made(address: string, report: RiskReport): void
  /** Reports made here that are not stored yet, by token address. */
  unstored(): ReadonlyMap<string, RiskReport>
  stored(address: string, report: RiskReport): void
  /** Takes a stored report, unless a later one is already known. */
  restore(address: string, report: RiskReport): void
}

/** `unstoredMax` bounds the reports kept while the store is unreachable. */
export function createReportSync(
  cache: Pick<ReportCache, 'last' | 'keep'>,
  unstoredMax: number,
): ReportSync {
  const unstored = new Map<string, RiskReport>()
  return {
    made(address, report) {
      if (unstored.size < unstoredMax) unstored.set(address, report)
    },
    unstored: () => unstored,
    stored(address, report) {
      // A later report may have replaced it.
      if (unstored.get(address) === report) unstored.delete(address)
    },
    restore(address, report) {
      const last = cache.last(address)
      if (last !== null && last.block.number >= report.block.number) return
      cache.keep(address, report, report.block.timeS * 1_000)
    },
  }
}

// Reports of another form are ignored: they are made again on demand.
const form = 1

/** Serializes a report for the store. */
export function reportText(report: RiskReport): string {
  return JSON.stringify({ form, report }, (_, value) =>
    typeof value === 'bigint' ? { integer: value.toString() } : value,
  )
}

/** Null if this version does not know the report's form. */
export function reportOf(text: string): RiskReport | null {
  const stored = JSON.parse(text, (_, value) =>
    typeof value?.integer === 'string' ? BigInt(value.integer) : value,
  ) as { form?: number; report: RiskReport }
  return stored.form === form ? stored.report : null
}
