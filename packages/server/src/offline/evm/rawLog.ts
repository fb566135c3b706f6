import type { EvmLog } from '../../model/evm/evmBlock.ts'

// Nodes, libraries and databases name fields differently. All of these names are read here.

export type Json = Readonly<Record<string, unknown>>

const transactionFields = ['transactionHash', 'transaction_hash', 'txHash', 'tx_hash'] as const
const shortTransactionFields = ['tx', 'transaction'] as const
const senderFields = ['from', 'from_address', 'fromAddress'] as const
const indexFields = ['logIndex', 'log_index', 'index'] as const
const topicsMax = 5
const failedWords: readonly unknown[] = [false, 'false', 'reverted', 'failed', 'failure', 'error']

/** Reads a log; null if it is malformed. Without an index of its own it gets its position. */
export function readLog(item: unknown, position: number, transactionHash: string): EvmLog | null {
  if (!isObject(item)) return null
  const address = addressOf(item.address)
  const topics = topicsOf(item)
  const data = item.data === undefined || item.data === null ? '0x' : hexOf(item.data)
  if (address === null || topics === null || data === null || data.length % 2 !== 0) return null
  const indexes = indexFields.map((field) => numberOf(item[field]))
  const logIndex = indexes.find((index) => index !== null) ?? position
  return { address, topics, data, logIndex, transactionHash }
}

/** Does the value have the shape that nodes give a log? */
export function isLog(value: unknown): boolean {
  return isObject(value) && hasTopics(value) && addressOf(value.address) !== null
}

/** Also true of malformed logs. */
export function looksLikeLog(node: Json): boolean {
  return isLog(node) || (hasTopics(node) && 'data' in node)
}

function hasTopics(item: Json): boolean {
  return Array.isArray(item.topics) || typeof item.topics === 'string' || 'topic0' in item
}

/**
 * Null if one is malformed. Some sources pad to four topics, some join them in one string, some use
 * one field for each.
 */
function topicsOf(item: Json): string[] | null {
  const { topics } = item
  if (typeof topics === 'string') {
    const words = topics.toLowerCase().match(/[0-9a-f]{64}/g) ?? []
    return words.length === 0 && /[0-9a-f]/i.test(topics) ? null : words.map((word) => `0x${word}`)
  }
  const given = Array.isArray(topics)
    ? topics
    : Array.from({ length: topicsMax }, (_, at) => item[`topic${at}`])
  const words = given.flatMap((topic) => (topic ? [hashOf(topic)] : []))
  return words.every((word) => word !== null) ? words : null
}

/** The hash of the transaction that the value names. */
export function transactionOf(node: Json): string | null {
  for (const field of [...transactionFields, ...shortTransactionFields]) {
    const hash = hashOf(node[field])
    if (hash !== null) return hash
  }
  return null
}

export function senderOf(node: Json): string | null {
  for (const field of senderFields) {
    const address = addressOf(node[field])
    if (address !== null) return address
  }
  return null
}

/** Logs of a failed transaction were reverted with it. */
export function hasFailed({ status }: Json): boolean {
  return failedWords.includes(status) || numberOf(status) === 0
}

/** Are these two logs of the same transaction? */
export function isSameTransaction(one: unknown, other: unknown): boolean {
  return isObject(one) && isObject(other) && transactionOf(one) === transactionOf(other)
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Nodes write hex, others numbers or decimal strings, and explorers "0x" for zero. */
export function numberOf(value: unknown): number | null {
  if (value === '0x') return 0
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return null
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** Some sources leave out the 0x. */
function hexOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const digits = value.toLowerCase().replace(/^0x/, '')
  return /^[0-9a-f]*$/.test(digits) ? `0x${digits}` : null
}

/** Explorers wrap addresses in objects. */
function addressOf(value: unknown): string | null {
  const hex = hexOf(isObject(value) ? value.hash : value)
  return hex?.length === 42 ? hex : null
}

export function hashOf(value: unknown): string | null {
  const isLong = typeof value === 'string' && value.length >= 64 && value.length <= 66
  const hex = isLong ? hexOf(value) : null
  return hex?.length === 66 ? hex : null
}
