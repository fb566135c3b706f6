import { keccak } from '../../../lib/bytes/keccak.ts'
import type { RawLog, RawReceipt } from '../fetch/rawBlock.ts'
import { type RlpItem, rlp, toMinimal } from './rlp.ts'

type Item = { nibbles: readonly number[]; value: string }

// EIP-2718 type of an OP Stack deposit, whose receipts have extra fields.
const depositType = 0x7e
const hexPattern = /^0x[\da-f]*$/i
const bytesPattern = /^0x(?:[\da-f]{2})*$/i

/**
 * Computes the root of receipts in the order of their transactions. Null if a hashed field is
 * missing.
 */
export function receiptsRootOf(receipts: readonly RawReceipt[]): string | null {
  const items: Item[] = []
  for (const [index, receipt] of receipts.entries()) {
    const value = encodeReceipt(receipt)
    if (value === null) return null
    items.push({ nibbles: nibblesOf(rlp(toMinimal(`0x${index.toString(16)}`))), value })
  }
  return keccak(rlp(nodeOf(items, 0)))
}

/**
 * Builds a node of the Merkle Patricia trie (Yellow paper, appendix D) over items that share their
 * first `depth` nibbles.
 */
function nodeOf(items: readonly Item[], depth: number): RlpItem {
  const [first] = items
  if (first === undefined) return '0x'
  if (items.length === 1) return [packPath(first.nibbles.slice(depth), true), first.value]
  let shared = depth
  while (items.every(({ nibbles }) => nibbles[shared] === first.nibbles[shared])) shared += 1
  if (shared > depth)
    return [packPath(first.nibbles.slice(depth, shared), false), reference(nodeOf(items, shared))]
  const groups: Item[][] = Array.from({ length: 16 }, () => [])
  // No key is a prefix of another, so every item continues below this node.
  for (const item of items) groups[item.nibbles[depth]!]!.push(item)
  const children = groups.map((group) => reference(nodeOf(group, depth + 1)))
  return [...children, '0x']
}

/** Returns a node as embedded in its parent: the node itself if it is short, else its hash. */
function reference(node: RlpItem): RlpItem {
  if (node === '0x') return node
  const bytes = rlp(node)
  return bytes.length < 32 ? node : keccak(bytes)
}

function nibblesOf(bytes: Buffer): number[] {
  return [...bytes.toString('hex')].map((digit) => Number.parseInt(digit, 16))
}

function packPath(nibbles: readonly number[], isLeaf: boolean): string {
  const isOdd = nibbles.length % 2 === 1
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  const digits = [flag, ...(isOdd ? [] : [0]), ...nibbles]
  return `0x${digits.map((digit) => digit.toString(16)).join('')}`
}

function encodeReceipt(receipt: RawReceipt): string | null {
  const { logs, logsBloom, cumulativeGasUsed, status, root } = receipt
  const type = Number(receipt.type ?? 0)
  // Before Byzantium, receipts have a state root in place of the status.
  const outcome = isHex(root) ? root : isHex(status) ? toMinimal(status) : null
  if (outcome === null || !isHex(logsBloom) || !isHex(cumulativeGasUsed)) return null
  if (!(type >= 0 && type < 128) || !Array.isArray(logs) || !logs.every(isHashable)) return null
  const logItems = logs.map(({ address, topics, data }) => [address, topics, data])
  const items = [outcome, toMinimal(cumulativeGasUsed), logsBloom, logItems] as RlpItem[]
  // Receipts without a version have a nonce too, which is not hashed.
  const { depositNonce, depositReceiptVersion: version } = receipt
  if (type === depositType && isHex(depositNonce) && isHex(version))
    items.push(toMinimal(depositNonce), toMinimal(version))
  const payload = rlp(items).toString('hex')
  return `0x${type === 0 ? '' : type.toString(16).padStart(2, '0')}${payload}`
}

function isHashable({ address, topics, data }: RawLog): boolean {
  return isBytes(address) && Array.isArray(topics) && topics.every(isBytes) && isBytes(data)
}

function isBytes(value: unknown): boolean {
  return typeof value === 'string' && bytesPattern.test(value)
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && hexPattern.test(value)
}
