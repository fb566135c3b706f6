/** One call of a program, as it ran. */
export type SolanaInstruction = {
  /** Index of the program in the transaction's keys. */
  program: number
  /** Indexes of the accounts it was given in the transaction's keys. */
  accounts: readonly number[]
  /** Base58 where the node wrote text; it is read only of programs that are known. */
  data: string | Buffer
  /** 1: the transaction's own; 2: called by one of those. Null: the node did not tell, as with transactions before late 2022. */
  height: number | null
}

/** What a token account had before and after the transaction; null: it did not exist. */
export type SolanaTokenAccount = {
  mint: string
  /** Null: nodes did not tell before 2022. */
  owner: string | null
  before: bigint | null
  after: bigint | null
}

/** A transaction's keys as text, as an array of them has it; of bytes each is written when first asked for. */
export type KeyList = Pick<readonly string[], 'length' | 'at' | 'indexOf'>

/** A transaction that succeeded, whatever its version and encoding were. */
export type SolanaTransaction = {
  signature: string
  /** Its own keys, then those that lookup tables gave, writable ones first. */
  keys: KeyList
  /** The first so many keys signed; the very first pays the fee. */
  signerCount: number
  /** In the order in which they ran: each is followed by those that it called. */
  instructions: readonly SolanaInstruction[]
  /** By index of the account in keys. An account that was opened and closed in the transaction is in none. */
  tokenAccounts: ReadonlyMap<number, SolanaTokenAccount>
  /** What each account had before and after, in the order of keys. */
  lamportsBefore: readonly number[]
  lamportsAfter: readonly number[]
  /** Null: the node kept none. */
  logs: readonly string[] | null
}
