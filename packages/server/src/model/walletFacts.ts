/** What the node says of an address now. Null: it did not answer in time. */
export type WalletFacts = {
  /** Raw units of the native coin. */
  nativeRaw: bigint | null
  isContract: boolean | null
}

/** Asks the node about addresses. Never fails: what is not known in time is null. */
export type WalletReads = {
  read(addresses: readonly string[]): Promise<ReadonlyMap<string, WalletFacts>>
}
