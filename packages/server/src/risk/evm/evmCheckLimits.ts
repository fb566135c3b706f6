import { type RiskLimits, riskLimitsDefault } from '../riskChecker.ts'

/** Limits for reading and simulating a contract, beside those of every kind of check. */
export type EvmCheckLimits = RiskLimits & {
  /** Gas of one simulated trade. Nodes cut it to their own cap. */
  tradeGasMax: number
  /** Gas of one read. */
  readGasMax: number
  /** Storage slots tried for the balances of a quote token, for each way of hashing. */
  balanceSlotsMax: number
  /** Instructions walked in one function. */
  functionStepsMax: number
  /** Instructions walked in all functions of a contract. */
  codeStepsMax: number
  /** Time for walking them. Functions not walked by then count as unknown. */
  codeMsMax: number
  /** Constants of the code tried as selectors. */
  selectorsMax: number
  /** Accounts with a role that are listed and asked whether they still have it. */
  roleHoldersMax: number
  /**
   * Blocks searched for the NFTs of a pool's positions. The owners of a pool with more stay
   * unknown.
   */
  positionBlocksMax: number
  /** Remembered creations of contracts. */
  creationsMax: number
}

export const evmCheckLimitsDefault: EvmCheckLimits = {
  ...riskLimitsDefault,
  tradeGasMax: 15_000_000,
  readGasMax: 3_000_000,
  balanceSlotsMax: 20,
  // The largest functions of common tokens take about 5,000.
  functionStepsMax: 30_000,
  // Steps of symbolic execution per contract: about a third of a second of work, done in parts. The
  // largest contracts need a third of them.
  codeStepsMax: 300_000,
  // Ten times the need of the largest contracts, so only code built to be slow reaches it.
  codeMsMax: 1_500,
  selectorsMax: 1_000,
  roleHoldersMax: 100,
  positionBlocksMax: 50,
  creationsMax: 10_000,
}
