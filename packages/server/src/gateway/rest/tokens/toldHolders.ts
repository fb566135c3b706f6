import type { Holdings } from '../../../model/walletFacts.ts'
import type { Holder } from '../../../store/read/holders.ts'

/**
 * Replaces counted balances by balances that the token's contract reports at the same block. The
 * two differ for rebasing tokens and for tokens that pay holders without transfers. Holders without
 * a report keep the counted balance.
 */
export function toldHolders(counted: readonly Holder[], told: Holdings): readonly Holder[] {
  const toldOf = ({ wallet, balance }: Holder) => told.get(wallet) ?? balance
  if (counted.every((holder) => toldOf(holder) === holder.balance)) return counted
  const holders = counted.map((holder) => ({ wallet: holder.wallet, balance: toldOf(holder) }))
  return holders.filter(({ balance }) => balance > 0n).sort(largestFirst)
}

function largestFirst(a: Holder, b: Holder): number {
  if (a.balance !== b.balance) return a.balance > b.balance ? -1 : 1
  return a.wallet < b.wallet ? -1 : 1
}
