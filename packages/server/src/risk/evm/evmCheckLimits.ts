import { type RiskLimits, riskLimitsDefault } from '../riskLimits.ts'

/** What bounds the reading and simulating of a contract, beside the bounds of every kind of check. */
export type EvmCheckLimits = RiskLimits & {
  /** Gas of one simulated trade. Nodes cut what is over their own cap. */
  tradeGasMax: number
  /** Gas of one read. */
  readGasMax: number
  /** Storage slots tried for the balances of a quote token, in each order of hashing. */
  balanceSlotsMax: number
  /** Instructions walked in one function. */
  functionStepsMax: number
  /** And in all functions of a contract. */
  codeStepsMax: number
  /** Time spent on walking them; what is not walked by then is left open. */
  codeMsMax: number
  /** Constants of the code tried as selectors. */
  selectorsMax: number
  /** Accounts with a role that are listed, and asked whether they have it. */
  roleHoldersMax: number
  /** Blocks that are asked whose NFTs a pool's positions are; of a pool with more nobody is named. */
  positionBlocksMax: number
  /** Contracts whose making is remembered. */
  creationsMax: number
}

export const evmCheckLimitsDefault: EvmCheckLimits = {
  ...riskLimitsDefault,
  tradeGasMax: 15_000_000,
  readGasMax: 3_000_000,
  balanceSlotsMax: 20,
  // The largest functions of common tokens take about 5,000.
  functionStepsMax: 30_000,
  // About a third of a second, in parts; contracts of the largest size take a third of it.
  codeStepsMax: 300_000,
  // Ten times what the largest contracts take, so that only code made to be slow meets it; as many as run at once end in time.
  codeMsMax: 1_500,
  selectorsMax: 1_000,
  roleHoldersMax: 100,
  positionBlocksMax: 50,
  creationsMax: 10_000,
}
