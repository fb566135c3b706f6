import type { SolanaTransaction } from '../../../model/solana/solanaTransaction.ts'
import { shareByRate } from './feeRate.ts'
import { type TokenChange, token2022Program } from './tokenMoves.ts'

/**
 * What mints withheld of transfers that do not say so, by transfer. A taxed mint of Token-2022 withholds of every transfer,
 * also where the instruction names no fee; what an account had before and has after tells how much it did not get.
 */
export function findWithheld(
  changes: readonly TokenChange[],
  accounts: SolanaTransaction['tokenAccounts'],
): ReadonlyMap<TokenChange, bigint> {
  const withheld = new Map<TokenChange, bigint>()
  for (const [account, transfers] of transfersByTarget(changes)) {
    const known = accounts.get(account)
    if (known === undefined || known.after === null) continue
    let missing = (known.before ?? 0n) - known.after
    for (const change of changes) missing += changeOf(change, account)
    // More than was sent: what was withheld before is paid out by instructions that do not say how much it is.
    if (missing <= 0n) continue
    const amounts = transfers.map(({ amount }) => amount)
    for (const [i, fee] of shareByRate(amounts, missing).entries()) withheld.set(transfers[i]!, fee)
  }
  return withheld
}

/** Those that do not say what is withheld, by the account that they went to. */
function transfersByTarget(changes: readonly TokenChange[]): ReadonlyMap<number, TokenChange[]> {
  const byTarget = new Map<number, TokenChange[]>()
  for (const change of changes) {
    const { program, from, to, isFeeTold } = change
    // Of what an account sends to itself nothing is withheld.
    if (program !== token2022Program || isFeeTold || from === to) continue
    const transfers = byTarget.get(to) ?? []
    transfers.push(change)
    byTarget.set(to, transfers)
  }
  return byTarget
}

/** What a change made of an account's balance, as far as it says so. */
export function changeOf({ from, to, amount, fee }: TokenChange, account: number): bigint {
  if (from === to) return 0n
  if (to === account) return amount - fee
  return from === account ? -amount : 0n
}
