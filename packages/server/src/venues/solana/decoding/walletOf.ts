import type { TransactionScope } from './transactionScope.ts'

/**
 * Who trades: the owner of the token accounts that pay and are paid. A router may have the tokens pass through accounts
 * of its own, and its address cannot sign: then it keeps next to nothing of what went through, and whoever signed the
 * transaction trades. An address of a program that keeps what it bought trades for itself, as a shared wallet does.
 */
export function walletOf(user: number, scope: TransactionScope): string {
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
  // Of what it only passes on, as much comes in as goes out.
  for (const { out, net } of passed.values())
    if (net !== 0n && (net < 0n ? -net : net) * 2n >= out) return true
  return false
}
