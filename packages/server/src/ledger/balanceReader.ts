import type { TokenSupply } from '../model/token.ts'

export type BalanceKey = { tokenId: number; wallet: string }

/** Where balances and supplies are kept for good; as of the last block that was persisted. */
export type BalanceReader = {
  /** In key order; 0 where nothing is kept. */
  loadBalances(keys: readonly BalanceKey[]): Promise<readonly bigint[]>
  /** Those that are kept, in any order. */
  loadSupplies(tokenIds: readonly number[]): Promise<readonly TokenSupply[]>
}
