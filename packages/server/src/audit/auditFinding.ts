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
