/** An address as the node describes it now. Null: it did not answer in time. */
export type WalletFacts = {
  /** Raw units of the native coin. */
  nativeRaw: bigint | null
  isContract: boolean | null
}

/** Asks the node about addresses. Never fails: null means unknown. */
export type WalletReader = {
  read(addresses: readonly string[]): Promise<ReadonlyMap<string, WalletFacts>>
  /** Balances that a token itself reports after a block. Wallets without an answer are missing. */
  readHoldings(query: HoldingsQuery): Promise<WalletHoldings>
}

export type HoldingsQuery = { token: string; wallets: readonly string[]; number: number }
export type WalletHoldings = ReadonlyMap<string, bigint>
