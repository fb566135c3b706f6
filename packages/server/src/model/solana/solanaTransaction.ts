/** One executed call of a program. */
export type SolanaInstruction = {
  /** Key index of the program. */
  program: number
  /** Key indexes of its accounts. */
  accounts: readonly number[]
  /** Base58 if the node wrote text; decoded only for known programs. */
  data: string | Buffer
  /**
   * 1 for outer instructions, 2 for those they call. Null if the node did not return it, as for
   * transactions before late 2022.
   */
  height: number | null
}

/** Amounts of a token account before and after the transaction; null if it did not exist. */
export type SolanaTokenAccount = {
  mint: string
  /** Null: nodes did not return owners before 2022. */
  owner: string | null
  before: bigint | null
  after: bigint | null
}

/**
 * A transaction's keys as text. An array has them all; keys given as bytes are written on demand.
 */
export type AccountKeys = Pick<readonly string[], 'length' | 'at' | 'indexOf'>

/** A successful transaction of any version and encoding. */
export type SolanaTransaction = {
  signature: string
  /** Its own keys, then those of lookup tables, writable ones first. */
  keys: AccountKeys
  /** The first keys that signed; the very first pays the fee. */
  signerCount: number
  /** In the order of execution: each is followed by those that it called. */
  instructions: readonly SolanaInstruction[]
  /** Indexed by key index. Accounts opened and closed within the transaction are missing. */
  tokenAccounts: ReadonlyMap<number, SolanaTokenAccount>
  /** Balances before and after, in the order of keys. */
  lamportsBefore: readonly number[]
  lamportsAfter: readonly number[]
  /** Null if the node kept none. */
  logs: readonly string[] | null
}
