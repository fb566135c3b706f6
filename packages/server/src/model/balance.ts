/** One holder's balance of one token changed in a block. `before` lets the store take it back. */
export type BalanceChange = { tokenId: number; wallet: string; before: bigint; after: bigint }
