import { AppError } from '../lib/errors.ts'
import type { ContractFindings } from './riskReport.ts'
import type { RiskSubject } from './riskSubject.ts'

/** Reads a token's contract from one chain at the subject's block. Throws if no node answers. */
export type RiskChecker = {
  check(subject: RiskSubject, signal: AbortSignal): Promise<ContractFindings>
}

/** Findings for a chain that cannot be checked. */
export const nothingFound: ContractFindings = {
  hasCode: null,
  isProxy: null,
  isUpgradeable: null,
  flags: null,
  owner: null,
  roles: null,
  creator: null,
  createdAtS: null,
  lp: null,
  transferFee: null,
  trade: null,
  holderSells: null,
  tradeError: 'no checker',
  feeUnitRaw: null,
}

/** A contract cannot be checked now: no node answered in time, or too many checks wait. */
export class RiskUnavailableError extends AppError {
  constructor({ token, reason, cause }: { token: string; reason: string; cause?: unknown }) {
    super('RISK_UNAVAILABLE', 'The contract cannot be checked now.', {
      cause,
      meta: [`Token: ${token}`, `Reason: ${reason}`],
      retryable: true,
    })
  }
}

export type RiskLimits = {
  /** Reports cached. The least recently used is evicted first. */
  reportsMax: number
  /** A report is made again once it is older than this in block time, */
  reportBlockTimeSMax: number
  /** and at least this many blocks old. */
  reportBlocksMin: number
  /** A report older than this by the clock is always made again. */
  reportAgeSMax: number
  /** Checks running at once. */
  checksMax: number
  /** Checks waiting for a slot; further ones are refused. */
  waitingMax: number
  /** Background checks running at once; further ones are skipped. */
  learningMax: number
  /** Timeout of a check. */
  checkMsMax: number
  /** Holders for whom a sale is simulated. */
  sellersMax: number
  /**
   * Longest range of blocks read for owners and LP shares; a longer one is skipped. Nodes limit
   * ranges in blocks.
   */
  logBlocksMax: number
  /** LP holders listed. */
  lpHoldersMax: number
  /** Pools tried until one allows a simulated trade. */
  poolsMax: number
}

export const riskLimitsDefault: RiskLimits = {
  // A report takes about 3 kB.
  reportsMax: 10_000,
  reportBlockTimeSMax: 100,
  reportBlocksMin: 50,
  reportAgeSMax: 600,
  checksMax: 4,
  waitingMax: 64,
  // Requests have priority.
  learningMax: 1,
  checkMsMax: 8_000,
  sellersMax: 10,
  // Most public nodes accept this range in one call.
  logBlocksMax: 10_000,
  lpHoldersMax: 10,
  poolsMax: 3,
}
