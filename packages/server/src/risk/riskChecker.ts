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
