import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import {
  createReportCache,
  createReportSync,
  type ReportCache,
  type ReportSync,
} from './reportCache.ts'
import {
  nothingFound,
  type RiskChecker,
  type RiskLimits,
  RiskUnavailableError,
  riskLimitsDefault,
} from './riskChecker.ts'
import { type ContractFindings, honeypotVerdict, type RiskReport } from './riskReport.ts'
import { riskLevel, riskScore } from './riskScore.ts'
import { hasHolders, lockedLpShare, type RiskSubject } from './riskSubject.ts'

type RiskReaderOptions = {
  profile: ChainProfile
  /** Null if contracts of this chain cannot be checked; reports then say so. */
  checker: RiskChecker | null
  limits?: Partial<RiskLimits> | undefined
  /** Unix time. */
  clock: { nowMs(): number }
  logger: Logger
}

/** The part of a report that other answers show. */
type KnownRisk = {
  score: number
  /** -1: dangerous, 1: a quote asset of the chain's config, 0: neither. */
  level: -1 | 0 | 1
  /** Null if unknown. */
  isMintable: boolean | null
  isHoneypot: boolean | null
  /** Null if unknown. */
  creator: string | null
  /** Creation time of the contract; null if unknown. */
  createdAtS: number | null
  /** Factor of displayed amounts, in 1e-18. @default 1, or unknown */
  uiMultiplier?: bigint | null
  /** The deepest pair with shares; null if unknown or none. */
  lp: KnownLpShares | null
  checkedBlock: number
}

export type KnownLpShares = {
  pair: string
  /** Total shares, raw; null if the pool has positions instead. */
  totalRaw: bigint | null
  /** Null if some holder is unknown. */
  holderCount: number | null
  /** Part that is burnt or locked; null if unknown. */
  tiedShare: number | null
}

export type RiskReader = Omit<ReportSync, 'made'> & {
  /**
   * Returns a report within the age limits. If no node answers, returns the last report, which
   * names its block, or throws a RiskUnavailableError.
   */
  report(subject: RiskSubject): Promise<RiskReport>
  /** From the last report; null if none exists. */
  known(address: string): KnownRisk | null
  /** Reported tokens of this creator. */
  madeBy(creator: string): readonly string[]
  /**
   * Checks a token without a report in the background. Skipped while other checks run; failures are
   * only logged.
   */
  learn(address: string, subjectOf: () => RiskSubject | null): void
  stats(): { reports: number; underWay: number; waiting: number }
}

export function createRiskReader(options: RiskReaderOptions): RiskReader {
  const { profile, checker, clock, logger } = options
  const limits = { ...riskLimitsDefault, ...options.limits }
  const cache = createReportCache({ limits, clock })
  const book = createReportSync(cache, checker === null ? 0 : limits.reportsMax)
  const flights = new Map<string, Promise<RiskReport>>()
  const concurrency = createConcurrencyLimit({
    runningMax: limits.checksMax,
    waitingMax: limits.waitingMax,
  })

  async function check(subject: RiskSubject): Promise<RiskReport> {
    if (checker === null) return toReport(profile, cache, subject, nothingFound)
    const { address: token } = subject
    const release = await concurrency.take()
    if (release === null) throw new RiskUnavailableError({ token, reason: 'too many checks wait' })
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), limits.checkMsMax)
    try {
      const findings = await checker.check(subject, controller.signal)
      return toReport(profile, cache, subject, findings)
    } catch (cause) {
      if (!(cause instanceof AppError) || cause instanceof RiskUnavailableError) throw cause
      const reason = controller.signal.aborted
        ? `no answer in ${limits.checkMsMax} ms`
        : 'the node did not answer'
      throw new RiskUnavailableError({ token, reason, cause })
    } finally {
      clearTimeout(timer)
      release()
    }
  }

  async function checkOrCached(subject: RiskSubject): Promise<RiskReport> {
    const { address } = subject
    try {
      const report = await check(subject)
      cache.keep(address, report)
      book.made(address, report)
      return report
    } catch (err) {
      const last = cache.last(address)
      // A busy queue or node is temporary: the next request retries. Other errors are bugs of the
      // check.
      const level = err instanceof RiskUnavailableError ? 'info' : 'warn'
      logger[level]({ msg: 'Contract not checked', token: address, hasOld: last !== null, err })
      if (last === null) throw err
      return last
    }
  }

  async function report(subject: RiskSubject): Promise<RiskReport> {
    const { address } = subject
    const { block } = subject
    const fresh = cache.fresh(address, { block, hasHolders: hasHolders(subject) })
    if (fresh) return fresh
    const flying = flights.get(address)
    if (flying) return await flying
    const flight = checkOrCached(subject).finally(() => flights.delete(address))
    flights.set(address, flight)
    return await flight
  }

  let learning = 0

  return {
    report,
    learn(address, subjectOf) {
      if (checker === null || learning >= limits.learningMax || concurrency.waiting() > 0) return
      if (cache.last(address) !== null || flights.has(address)) return
      const subject = subjectOf()
      if (subject === null) return
      learning += 1
      const end = () => {
        learning -= 1
      }
      // The failure was logged by `report`.
      report(subject).then(end, end)
    },
    known: (address) => knownOf(cache.last(address)),
    madeBy: (creator) => cache.madeBy(creator),
    ...book,
    stats: () => ({
      reports: cache.size(),
      underWay: flights.size,
      waiting: concurrency.waiting(),
    }),
  }
}

function knownOf(report: RiskReport | null): KnownRisk | null {
  if (report === null) return null
  const { score, flags, isHoneypot, creator, createdAtS, lp, block } = report
  return {
    score,
    level: riskLevel(report),
    isHoneypot,
    createdAtS,
    uiMultiplier: report.uiMultiplier ?? null,
    isMintable: flags?.canMint ?? null,
    creator: creator?.address ?? null,
    lp: lp && {
      pair: lp.pair,
      totalRaw: lp.isSupply ? lp.totalRaw : null,
      holderCount: lp.holderCount,
      tiedShare: lockedLpShare(lp),
    },
    checkedBlock: block.number,
  }
}

function toReport(
  profile: ChainProfile,
  cache: ReportCache,
  subject: RiskSubject,
  findings: ContractFindings,
): RiskReport {
  const { address, block } = subject
  const creator = findings.creator?.address
  const isHoneypot = honeypotVerdict(findings)
  const hasSibling = creator !== undefined && cache.hasHoneypotBeside(address, creator)
  return {
    ...findings,
    block,
    isHoneypot,
    isListed: profile.quotes.includes(address),
    hasHoneypotOfCreator: hasSibling || null,
    hadHolders: hasHolders(subject),
    ...riskScore({ subject, findings, isHoneypot }),
  }
}

type ConcurrencyLimit = {
  /** Returns the function that releases the slot, or null if too many already wait. */
  take(): Promise<(() => void) | null>
  waiting(): number
}

/** At most `runningMax` run at once; at most `waitingMax` wait, first come first served. */
function createConcurrencyLimit(options: {
  runningMax: number
  waitingMax: number
}): ConcurrencyLimit {
  const queue: (() => void)[] = []
  let free = options.runningMax

  function end(): void {
    const next = queue.shift()
    if (next) next()
    else free += 1
  }

  return {
    async take() {
      if (free > 0) free -= 1
      else if (queue.length >= options.waitingMax) return null
      else await new Promise<void>((resolve) => queue.push(resolve))
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        end()
      }
    },
    waiting: () => queue.length,
  }
}
