/** Something that is stored otherwise than the chain has it. */
export type AuditFinding = {
  /**
   * hash: another block is stored. missing, unexpected, changed: a trade or change of liquidity. pool: a pool that nothing is stored
   * of. untrue: what a block said when it was stored. balance: what a wallet has.
   */
  kind: 'hash' | 'missing' | 'unexpected' | 'changed' | 'pool' | 'untrue' | 'balance'
  /** Its block; null: it is of no one block. */
  block: { number: number; hash: string } | null
  /** A sentence. */
  msg: string
}

/** What an audit has looked at, and what it has found. */
export type AuditResult = {
  /** First and last block; null: there was none to compare. */
  range: { from: number; to: number } | null
  blockCount: number
  holdingCount: number
  /** Blocks that are marked as doubtful, and those of them that nodes prove right by now. */
  doubtful: { count: number; rightCount: number }
  findingCount: number
  /** The first of them, as they came. */
  findings: readonly AuditFinding[]
  /** What could not be looked at, and why: sentences. */
  notChecked: readonly string[]
}
