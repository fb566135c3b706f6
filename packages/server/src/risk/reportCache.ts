import { blockNumberDistance } from '../model/block.ts'
import type { RiskLimits } from './riskChecker.ts'
import type { RiskReport } from './riskReport.ts'

type BlockMoment = { number: number; timeS: number }

export type ReportCache = {
  /** The last report of a token, of any age. */
  last(address: string): RiskReport | null
  /**
   * Returns a report that is recent enough for this block, and counts it as used. A report from
   * before the token had holders is not reused once it has some.
   */
  fresh(address: string, now: { block: BlockMoment; hasHolders: boolean }): RiskReport | null
  /** `madeMs` is the time of the report. @default now */
  keep(address: string, report: RiskReport, madeMs?: number): void
  /** Reported tokens of this creator. */
  madeBy(creator: string): readonly string[]
  /** Is another cached token of this creator a honeypot? */
  hasHoneypotBeside(address: string, creator: string): boolean
  size(): number
}

type ReportCacheOptions = {
  limits: Pick<
    RiskLimits,
    'reportsMax' | 'reportBlockTimeSMax' | 'reportBlocksMin' | 'reportAgeSMax'
  >
  clock: { nowMs(): number }
}

export function createReportCache({ limits, clock }: ReportCacheOptions): ReportCache {
  /** Least recently used first. */
  const reports = new Map<string, { report: RiskReport; madeMs: number }>()
  /** Reported tokens, by creator. */
  const made = new Map<string, Set<string>>()

  function drop(address: string): void {
    const creator = reports.get(address)?.report.creator?.address
    reports.delete(address)
    if (creator === undefined) return
    const found = made.get(creator)
    found?.delete(address)
    if (found?.size === 0) made.delete(creator)
  }

  return {
    last: (address) => reports.get(address)?.report ?? null,
    fresh(address, { block, hasHolders }) {
      const cached = reports.get(address)
      if (cached === undefined) return null
      if (hasHolders && cached.report.hadHolders === false) return null
      const { report } = cached
      const ageBlocks = blockNumberDistance(report.block.number, block.number)
      const ageS = block.timeS - report.block.timeS
      const ageMs = clock.nowMs() - cached.madeMs
      // The block is below the report's: the chain was rolled back, and the report may describe
      // reverted state.
      if (ageBlocks < 0) return null
      if (ageBlocks >= limits.reportBlocksMin && ageS >= limits.reportBlockTimeSMax) return null
      if (ageMs >= limits.reportAgeSMax * 1_000) return null
      reports.delete(address)
      reports.set(address, cached)
      return cached.report
    },
    keep(address, report, madeMs = clock.nowMs()) {
      drop(address)
      reports.set(address, { report, madeMs })
      const creator = report.creator?.address
      if (creator !== undefined) made.set(creator, (made.get(creator) ?? new Set()).add(address))
      if (reports.size > limits.reportsMax) drop(reports.keys().next().value!)
    },
    madeBy: (creator) => [...(made.get(creator) ?? [])],
    hasHoneypotBeside: (address, creator) =>
      [...(made.get(creator) ?? [])].some(
        (other) => other !== address && reports.get(other)?.report.isHoneypot,
      ),
    size: () => reports.size,
  }
}

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
