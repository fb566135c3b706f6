import type { RpcTransaction } from '../../../model/solana/rpcTransaction.ts'

type Json = Readonly<Record<string, unknown>>

/** Transactions that belong together: those of a block, or one alone. Their swaps are counted from 0. */
export type TransactionGroup = readonly RpcTransaction[]

/**
 * Every transaction in an answer of a node, or in whatever somebody wrapped around such answers: objects with `meta` and
 * `transaction`. Null: there is none.
 */
export function findTransactions(value: unknown): TransactionGroup[] | null {
  const groups: TransactionGroup[] = []

  function visit(node: unknown): void {
    if (Array.isArray(node)) {
      for (const item of node) visit(item)
      return
    }
    if (!isObject(node)) return
    if (isTransaction(node)) {
      groups.push([withEncoding(node)])
      return
    }
    for (const [name, child] of Object.entries(node)) {
      if (name === 'transactions' && Array.isArray(child) && child.some(isTransaction))
        groups.push(child.filter(isTransaction).map(withEncoding))
      else visit(child)
    }
  }

  visit(value)
  return groups.length === 0 ? null : groups
}

/** With transactionDetails other than full, nodes tell the accounts of a transaction and not what it did. */
export function hasInstructions({ transaction }: RpcTransaction): boolean {
  if (Array.isArray(transaction)) return true
  const { message } = transaction as { message?: unknown }
  return (
    isObject(message) && Array.isArray(message.accountKeys) && Array.isArray(message.instructions)
  )
}

function isTransaction(node: unknown): boolean {
  if (!isObject(node) || !isObject(node.meta)) return false
  const { transaction } = node
  if (Array.isArray(transaction)) return transaction.length === 2
  if (typeof transaction === 'string') return true
  return isObject(transaction) && (isObject(transaction.message) || 'accountKeys' in transaction)
}

/** The oldest nodes wrote base58 and did not say so. */
function withEncoding(node: Json): RpcTransaction {
  const { transaction } = node
  if (typeof transaction !== 'string') return node as RpcTransaction
  return { ...node, transaction: [transaction, 'base58'] } as unknown as RpcTransaction
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
