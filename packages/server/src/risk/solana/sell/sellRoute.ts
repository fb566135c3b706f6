import type { SolanaAccount } from '../../../chain/solana/readAccounts.ts'
import type { Instruction } from './instruction.ts'

/** Who sells, out of which account into which, and how much. Lamports go to the seller itself. */
export type Sale = { seller: string; source: string; target: string; amount: bigint }

/** How a token is sold in one pool. */
export type SellRoute = {
  /** What is paid; null: lamports. */
  quote: { mint: string; tokenProgram: string } | null
  sell(sale: Sale): Instruction
}

export type RouteQuery = {
  pool: string
  token: { mint: string; tokenProgram: string }
  /** The pool's account, then those that the venue asks for. */
  accounts: readonly (SolanaAccount | null)[]
  /** The program that keeps the mint of the pool's other token. */
  quoteProgram: string
}

export type SellVenue = {
  /** Accounts that all pools of the venue share. */
  shared: readonly string[]
  /** Null: the token cannot be sold there as far as the accounts tell. */
  routeOf(query: RouteQuery): SellRoute | null
}

/** The tag of an instruction, what is sold, and that any price is taken. */
export function sellData(tag: bigint, amount: bigint): Buffer {
  const data = Buffer.alloc(24)
  data.writeBigUInt64BE(tag)
  data.writeBigUInt64LE(amount, 8)
  return data
}
