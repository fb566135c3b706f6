import type { TransactionScope } from './transactionScope.ts'

/**
 * The trader: the owner of the token accounts that pay and receive. A router may pass tokens
 * through accounts of its own, whose address cannot sign: then it keeps almost nothing, and the
 * signer of the transaction is the trader. A program's address that keeps what it bought is the
 * trader itself, like a shared wallet.
 */
export function traderOf(user: number, scope: TransactionScope): string {
  if (user < 0) return scope.key(0)
  const key = scope.key(user)
  return scope.isSigner(user) || isTrader(key, scope) ? key : scope.key(0)
}

function isTrader(owner: string, scope: TransactionScope): boolean {
  const passed = new Map<string, { out: bigint; net: bigint }>()
  for (const [account, { mint, owner: holder, before, after }] of scope.transaction.tokenAccounts) {
    if (holder !== owner) continue
    const sum = passed.get(mint) ?? { out: 0n, net: 0n }
    sum.net += (after ?? 0n) - (before ?? 0n)
    for (const { from, amount } of scope.moves()) if (from === account) sum.out += amount
    passed.set(mint, sum)
  }
  // Passed-on tokens come in and go out in equal amounts.
  for (const { out, net } of passed.values())
    if (net !== 0n && (net < 0n ? -net : net) * 2n >= out) return true
  return false
}
