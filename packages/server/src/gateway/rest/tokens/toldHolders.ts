import type { Holdings } from '../../../model/walletFacts.ts'
import type { Holder } from '../../../store/read/holders.ts'

/**
 * Holders by what the token says that they have after the same block, where that is something else than its transfers add up
 * to: it rebases, or pays its holders without a transfer. Who was not told of stays as counted.
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
