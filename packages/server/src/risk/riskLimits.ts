export type RiskLimits = {
  /** Reports kept; the least recently used goes first. */
  reportsMax: number
  /** A report this many blocks old is made anew when it is asked for. */
  reportBlocksMax: number
  /** And so is one this old, whatever the blocks. */
  reportAgeSMax: number
  /** Checks under way at once. */
  checksMax: number
  /** Checks that wait for their turn; more are refused. */
  waitingMax: number
  /** Checks that nobody waits for, at once; more are left until the next occasion. */
  learningMax: number
  /** Until a check is given up. */
  checkMsMax: number
  /** Gas of one simulated trade. Nodes cut what is over their own cap. */
  tradeGasMax: number
  /** Gas of one read. */
  readGasMax: number
  /** Holders that try to sell. */
  sellersMax: number
  /** Storage slots tried for the balances of a quote token, in each order of hashing. */
  balanceSlotsMax: number
  /** Blocks of logs read for owners and LP shares; a longer range is left out. */
  logBlocksMax: number
  /** LP holders listed. */
  lpHoldersMax: number
  /** Pools tried until one lets a trade be simulated. */
  poolsMax: number
  /** Instructions walked in one function. */
  functionStepsMax: number
  /** And in all functions of a contract. */
  codeStepsMax: number
  /** Constants of the code tried as selectors. */
  selectorsMax: number
  /** Contracts whose making is remembered. */
  creationsMax: number
}

export const riskLimitsDefault: RiskLimits = {
  // About 3 kB each.
  reportsMax: 10_000,
  reportBlocksMax: 50,
  reportAgeSMax: 600,
  checksMax: 4,
  waitingMax: 64,
  // Those who wait for a report come first.
  learningMax: 1,
  checkMsMax: 8_000,
  tradeGasMax: 15_000_000,
  readGasMax: 3_000_000,
  sellersMax: 10,
  balanceSlotsMax: 20,
  // What most public nodes answer in one go.
  logBlocksMax: 10_000,
  lpHoldersMax: 10,
  poolsMax: 3,
  // The largest functions of common tokens take about 5,000.
  functionStepsMax: 30_000,
  // About a third of a second, in parts; contracts of the largest size take a third of it.
  codeStepsMax: 300_000,
  selectorsMax: 1_000,
  creationsMax: 10_000,
}
