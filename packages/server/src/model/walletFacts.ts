/** What the node says of an address now. Null: it did not answer in time. */
export type WalletFacts = {
  /** Raw units of the native coin. */
  nativeRaw: bigint | null
  isContract: boolean | null
}

/** Asks the node about addresses. Never fails: what is not known in time is null. */
export type WalletReads = {
  read(addresses: readonly string[]): Promise<ReadonlyMap<string, WalletFacts>>
  /** What a token itself says that wallets have of it after a block. Who is not in it was not told. */
  readHoldings(query: HoldingsQuery): Promise<Holdings>
}

export type HoldingsQuery = { token: string; wallets: readonly string[]; number: number }
export type Holdings = ReadonlyMap<string, bigint>
