import { keccak } from '../../../lib/bytes/keccak.ts'
import type { RawLog, RawReceipt } from '../fetch/rawBlock.ts'
import { type RlpItem, rlp, toMinimal } from './rlp.ts'

type Item = { nibbles: readonly number[]; value: string }

// EIP-2718: a deposit of the OP Stack, whose receipts say more.
const depositType = 0x7e
const hexPattern = /^0x[\da-f]*$/i
const bytesPattern = /^0x(?:[\da-f]{2})*$/i

/** The root that receipts make up, in the order of their transactions. Null: some lack a field that is hashed. */
export function receiptsRootOf(receipts: readonly RawReceipt[]): string | null {
  const items: Item[] = []
  for (const [index, receipt] of receipts.entries()) {
    const value = encodeReceipt(receipt)
    if (value === null) return null
    items.push({ nibbles: nibblesOf(rlp(toMinimal(`0x${index.toString(16)}`))), value })
  }
  return keccak(rlp(nodeOf(items, 0)))
}

/** A node of the Merkle Patricia trie (yellow paper, appendix D) over items that share their first `depth` nibbles. */
function nodeOf(items: readonly Item[], depth: number): RlpItem {
  const [first] = items
  if (first === undefined) return '0x'
  if (items.length === 1) return [packPath(first.nibbles.slice(depth), true), first.value]
  let shared = depth
  while (items.every(({ nibbles }) => nibbles[shared] === first.nibbles[shared])) shared += 1
  if (shared > depth)
    return [packPath(first.nibbles.slice(depth, shared), false), reference(nodeOf(items, shared))]
  const groups: Item[][] = Array.from({ length: 16 }, () => [])
  // No index is the beginning of another, so that every item goes on from here.
  for (const item of items) groups[item.nibbles[depth]!]!.push(item)
  const children = groups.map((group) => reference(nodeOf(group, depth + 1)))
  return [...children, '0x']
}

/** A node as its parent has it: itself when it is short, else its hash. */
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
  // Before Byzantium receipts had the root of the state where others have a status.
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
