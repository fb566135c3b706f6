import type { ContractFindings } from './riskReport.ts'
import type { RiskSubject } from './riskSubject.ts'

/** Asks one chain what it says of a token at the subject's block. Throws when no node answers. */
export type RiskChecker = {
  check(subject: RiskSubject, signal: AbortSignal): Promise<ContractFindings>
}

/** What is said of a token where nobody can be asked. */
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
