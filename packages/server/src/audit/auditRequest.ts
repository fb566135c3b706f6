import { chainKindOf } from '../kinds/chainKinds.ts'
import type { ChainSetup } from '../kinds/chainSetup.ts'
import type { StoreConnection } from '../store/connection.ts'
import { dayS, firstDayKept } from '../store/retention.ts'

/** A difference between the store and the chain. */
export type AuditFinding = {
  /**
   * hash: another block is stored. missing, unexpected, changed: a trade or liquidity change. pool:
   * a pool without stored data. untrue: content of a stored block. balance: a wallet's balance.
   */
  kind: 'hash' | 'missing' | 'unexpected' | 'changed' | 'pool' | 'untrue' | 'balance'
  /** Null if the finding concerns no single block. */
  block: { number: number; hash: string } | null
  /** A sentence. */
  msg: string
}

/** Scope and findings of an audit. */
export type AuditResult = {
  /** First and last block; null if there was none to compare. */
  range: { from: number; to: number } | null
  blockCount: number
  holdingCount: number
  /** Unverified blocks, and the number that nodes now prove right. */
  doubtful: { count: number; rightCount: number }
  findingCount: number
  /** The first findings, in order. */
  findings: readonly AuditFinding[]
  /** Sentences that say what could not be checked, and why. */
  notChecked: readonly string[]
}

/** Input of a chain's audit that comes from the config. Plain data: it is posted to a worker. */
export type AuditInput = {
  setup: ChainSetup
  /**
   * Liquidity changes before this second are no longer kept; null if they are kept as long as
   * trades.
   */
  liquidityFromS: number | null
  /** Start of the sample of balances among all tokens, from 0 to 1. */
  place: number
}

/** A range of stored blocks to compare with the nodes, and some wallet balances. */
export type AuditRequest = AuditInput & {
  connection: StoreConnection
  chainId: number
  from: number
  to: number
}

export function auditInputOf(
  retention: { liquidity_days: number; swaps_days: number },
  setup: ChainSetup,
  ratePercent: number,
): AuditInput {
  const { liquidity_days: liquidityDays, swaps_days: swapsDays } = retention
  // Expired days are dropped with a delay, so the oldest day may be partly gone: skip it.
  const firstDay = firstDayKept(Date.now() / 1_000, liquidityDays) + 1
  return {
    setup: chainKindOf(setup).backfill.throttledSetupOf(setup, ratePercent),
    liquidityFromS: liquidityDays >= swapsDays ? null : firstDay * dayS,
    place: Math.random(),
  }
}
