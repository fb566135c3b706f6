import type { SolanaAccount } from '../../../chain/solana/readAccounts.ts'
import type { Instruction } from './saleTransaction.ts'

/**
 * A sale of `amount` from the account `source`, paid to the account `target`, or to the seller
 * itself if paid in lamports.
 */
export type Sale = { seller: string; source: string; target: string; amount: bigint }

/** A way to sell a token in one pool. */
export type SellRoute = {
  /** The token received; null for lamports. */
  quote: { mint: string; tokenProgram: string } | null
  sell(sale: Sale): Instruction
}

export type RouteQuery = {
  pool: string
  token: { mint: string; tokenProgram: string }
  /** The pool's account, then the venue's shared ones. */
  accounts: readonly (SolanaAccount | null)[]
  /** The token program of the pool's other token. */
  quoteProgram: string
}

export type SellVenue = {
  /** Accounts that all pools of the venue share. */
  shared: readonly string[]
  /** Null if these accounts show no way to sell the token there. */
  routeOf(query: RouteQuery): SellRoute | null
}

/** The tag of an instruction and the amount, with any price accepted. */
export function sellData(tag: bigint, amount: bigint): Buffer {
  const data = Buffer.alloc(24)
  data.writeBigUInt64BE(tag)
  data.writeBigUInt64LE(amount, 8)
  return data
}
