import { nestingMax } from '../../lib/jsonValues.ts'
import type { RpcTransaction } from '../../model/solana/rpcTransaction.ts'

type Json = Readonly<Record<string, unknown>>

/** Transactions of one block, or a single one. Their swaps are numbered from 0. */
export type TransactionGroup = readonly RpcTransaction[]

/**
 * Finds every transaction in an answer of a node, however it is wrapped: objects with `meta` and
 * `transaction`. Null if there are none. `onDeep` reports a value nested too deeply to search.
 */
export function findTransactions(
  value: unknown,
  onDeep: () => void = () => undefined,
): TransactionGroup[] | null {
  const groups: TransactionGroup[] = []
  function visit(node: unknown, depth: number): void {
    if (typeof node !== 'object' || node === null) return
    if (depth > nestingMax) {
      onDeep()
      return
    }
    if (Array.isArray(node)) {
      for (const item of node) visit(item, depth + 1)
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
      else visit(child, depth + 1)
    }
  }

  visit(value, 0)
  return groups.length === 0 ? null : groups
}

function isTransaction(node: unknown): boolean {
  if (!isObject(node) || !isObject(node.meta)) return false
  const { transaction } = node
  if (Array.isArray(transaction)) return transaction.length === 2
  if (typeof transaction === 'string') return true
  return isObject(transaction) && (isObject(transaction.message) || 'accountKeys' in transaction)
}

/** The oldest nodes sent base58 without naming the encoding. */
function withEncoding(node: Json): RpcTransaction {
  const { transaction } = node
  if (typeof transaction !== 'string') return node as RpcTransaction
  return { ...node, transaction: [transaction, 'base58'] } as unknown as RpcTransaction
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
