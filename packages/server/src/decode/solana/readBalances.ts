import type { DecodedEvent } from '../../model/decodedBlock.ts'
import type {
  RpcMessage,
  RpcMeta,
  RpcTokenBalance,
  RpcTransaction,
} from '../../model/solana/rpcTransaction.ts'

/** Who is taken for the holder of what a token account has. */
export type HolderRule = {
  /** Addresses of programs under which many pools keep their vaults: each of these accounts is a holder of its own. */
  sharedOwners: ReadonlySet<string>
}

type Holding = { token: string; owner: string; amount: bigint; isChanged: boolean }

/**
 * What owners have of tokens after a transaction, of those whose accounts it changed. Nodes tell of the accounts that a
 * transaction names: an owner's further accounts of the same token, which hardly anybody has, are not among them.
 */
export function pushBalances(
  { meta, transaction }: RpcTransaction,
  { sharedOwners }: HolderRule,
  events: DecodedEvent[],
): void {
  if (!meta || (meta.err !== null && meta.err !== undefined)) return
  // Of transactions in bytes nobody reads every key for this.
  if (!('message' in transaction)) return
  const { preTokenBalances, postTokenBalances } = meta
  if (!preTokenBalances?.length && !postTokenBalances?.length) return
  const before = new Map<number, RpcTokenBalance>()
  for (const balance of preTokenBalances ?? []) before.set(balance.accountIndex, balance)
  const holdings = new Map<string, Holding>()
  const add = (balance: RpcTokenBalance, amount: string, isChanged: boolean) => {
    const owner = sharedOwners.has(balance.owner ?? '')
      ? accountAt(balance.accountIndex, transaction.message, meta)
      : (balance.owner ?? null)
    // Nodes did not tell owners before 2022.
    if (owner === null) return
    const key = `${balance.mint} ${owner}`
    const known = holdings.get(key) ?? { token: balance.mint, owner, amount: 0n, isChanged: false }
    known.amount += BigInt(amount)
    known.isChanged ||= isChanged
    holdings.set(key, known)
  }
  for (const balance of postTokenBalances ?? []) {
    const old = before.get(balance.accountIndex)
    before.delete(balance.accountIndex)
    const { amount } = balance.uiTokenAmount
    add(balance, amount, old?.uiTokenAmount.amount !== amount || old.owner !== balance.owner)
    // An account that was given to another owner: who had it has nothing of it.
    if (old !== undefined && old.owner !== balance.owner) add(old, '0', true)
  }
  // Accounts that are closed.
  for (const balance of before.values()) add(balance, '0', true)
  const txHash = transaction.signatures[0] ?? ''
  for (const { token, owner, amount, isChanged } of holdings.values())
    if (isChanged)
      events.push({ type: 'balance', index: events.length, txHash, token, owner, amount })
}

function accountAt(index: number, { accountKeys }: RpcMessage, { loadedAddresses }: RpcMeta) {
  const { writable = [], readonly = [] } = loadedAddresses ?? {}
  const looked = index - accountKeys.length
  if (looked < 0) return accountKeys[index]!
  return writable[looked] ?? readonly[looked - writable.length] ?? null
}
