import { hashOf, isObject, type Json, numberOf } from './rawLog.ts'

/** A block with its transactions. */
export type FoundBlock = {
  hash: string | null
  transactions: readonly { hash: string | null; index: number | null }[]
}

/** Returns the block that the value is or contains; null if there is none. */
export function blockIn(node: Json): FoundBlock | null {
  const wrapped = [node, node.block, node.result].filter(isObject)
  const inner = isObject(node.block) && isObject(node.block.result) ? [node.block.result] : []
  for (const { hash, transactions } of [...wrapped, ...inner])
    if (Array.isArray(transactions))
      return { hash: hashOf(hash), transactions: transactions.map(read) }
  return null
}

function read(item: unknown): FoundBlock['transactions'][number] {
  if (!isObject(item)) return { hash: hashOf(item), index: null }
  return { hash: hashOf(item.hash), index: indexOf(item) }
}

const indexOf = (node: Json) => numberOf(node.transactionIndex) ?? numberOf(node.transaction_index)

/**
 * Finds the transaction of a receipt without a hash: by its index, or by its place in a list of the
 * same length. Null if it is not of this block.
 */
export function hashInBlock(
  { hash, transactions }: FoundBlock,
  receipt: Json,
  place: { at: number; of: number } | null,
): string | null {
  const blockHash = hashOf(receipt.blockHash) ?? hashOf(receipt.block_hash)
  if (hash !== null && blockHash !== null && hash !== blockHash) return null
  const index = indexOf(receipt)
  const numbered = transactions.find((one) => index !== null && one.index === index)
  if (numbered) return numbered.hash
  if (place !== null && place.of === transactions.length) return transactions[place.at]!.hash
  return index === null ? null : (transactions[index]?.hash ?? null)
}
