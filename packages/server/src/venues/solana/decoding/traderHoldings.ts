import type { TraderAfter } from '../../../model/decodedBlock.ts'
import type { SolanaTransaction } from '../../../model/solana/solanaTransaction.ts'
import { wrappedSol } from './tokenMoves.ts'

/** Holdings of a trader after a transaction: both tokens of a pool, and SOL. */
export function traderAfter(
  { keys, lamportsAfter, tokenAccounts }: SolanaTransaction,
  wallet: string,
  tokens: readonly [string, string],
): TraderAfter {
  const lamports = lamportsAfter[keys.indexOf(wallet)]
  const native = lamports === undefined ? null : BigInt(lamports)
  const holdingOf = (mint: string): bigint | null => {
    // Every trade moves tokens of a pool, so a node that lists no token account left them out.
    if (tokenAccounts.size === 0) return null
    let held = 0n
    let hasAccount = false
    for (const { mint: accountMint, owner, after } of tokenAccounts.values()) {
      if (accountMint !== mint) continue
      if (owner === null) return null
      if (owner !== wallet || after === null) continue
      held += after
      hasAccount = true
    }
    // SOL is only wrapped during a trade, or not at all: without an account it is in the wallet.
    return mint === wrappedSol && !hasAccount ? native : held
  }
  return { native, holding0: holdingOf(tokens[0]), holding1: holdingOf(tokens[1]) }
}
