export type RiskLimits = {
  /** Reports cached; the least recently used goes first. */
  reportsMax: number
  /** A report so old by block time is made again when it is asked for, */
  reportBlockTimeSMax: number
  /** where it is at least so many blocks old. */
  reportBlocksMin: number
  /** And so is one this old by the clock, whatever the blocks. */
  reportAgeSMax: number
  /** Checks under way at once. */
  checksMax: number
  /** Checks that wait for their turn; more are refused. */
  waitingMax: number
  /** Checks that nobody waits for, at once; more are left until the next occasion. */
  learningMax: number
  /** Until a check is given up. */
  checkMsMax: number
  /** Holders that try to sell. */
  sellersMax: number
  /** Blocks of logs read for owners and LP shares; a longer range is left out. Nodes limit ranges in blocks. */
  logBlocksMax: number
  /** LP holders listed. */
  lpHoldersMax: number
  /** Pools tried until one lets a trade be simulated. */
  poolsMax: number
}

export const riskLimitsDefault: RiskLimits = {
  // About 3 kB each.
  reportsMax: 10_000,
  reportBlockTimeSMax: 100,
  reportBlocksMin: 50,
  reportAgeSMax: 600,
  checksMax: 4,
  waitingMax: 64,
  // Those who wait for a report come first.
  learningMax: 1,
  checkMsMax: 8_000,
  sellersMax: 10,
  // What most public nodes answer in one go.
  logBlocksMax: 10_000,
  lpHoldersMax: 10,
  poolsMax: 3,
}
