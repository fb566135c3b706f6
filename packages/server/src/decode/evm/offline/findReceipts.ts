import type { EvmLog } from '../../../model/evm/evmBlock.ts'

/** One transaction with its logs. */
export type OfflineReceipt = {
  txHash: string
  /** Who signed it; null: nothing around the logs says so. */
  from: string | null
  logs: EvmLog[]
}

type Json = Readonly<Record<string, unknown>>

/** What is known of logs by the objects around them. */
type Around = { txHash: string | null; from: string | null }

const addressForm = /^0x[0-9a-f]{40}$/
const hashForm = /^0x[0-9a-f]{64}$/
/** Nobody wraps an answer deeper. */
const depthMax = 100

/**
 * Every receipt in an answer of a node, or in whatever somebody wrapped around such answers: objects that have `logs`, and
 * logs that stand in no receipt, as `eth_getLogs` gives them. Null: there is none that says of which transaction it is. Logs
 * without an index of their own are counted, and those that a node gives twice are there once.
 */
export function findReceipts(value: unknown): OfflineReceipt[] | null {
  const found = new Map<string, { from: string | null; logs: Map<number, EvmLog> }>()
  const senders = new Map<string, string>()
  let isFound = false

  function take(item: Json, position: number | null, around: Around): void {
    const transactionHash = transactionOf(item) ?? around.txHash
    if (transactionHash === null) return
    isFound = true
    const receipt = found.get(transactionHash) ?? { from: null, logs: new Map() }
    found.set(transactionHash, receipt)
    const log = toLog(item, position ?? receipt.logs.size, transactionHash)
    if (log === null) return
    if (transactionHash === around.txHash) receipt.from ??= around.from
    receipt.logs.set(log.logIndex, log)
  }

  function takeAll(logs: readonly unknown[], around: Around): void {
    if (logs.length === 0) isFound = true
    for (const [position, item] of logs.entries()) if (isObject(item)) take(item, position, around)
  }

  function visit(node: unknown, around: Around, depth: number): void {
    if (depth > depthMax) return
    if (Array.isArray(node)) {
      for (const item of node) visit(item, around, depth + 1)
      return
    }
    if (!isObject(node)) return
    if (isLog(node)) {
      take(node, null, around)
      return
    }
    const own = aroundOf(node, around)
    // The transaction stands before the calls in it, which have senders of their own.
    if (own.txHash !== null && own.from !== null && !senders.has(own.txHash))
      senders.set(own.txHash, own.from)
    for (const [name, child] of Object.entries(node)) {
      if (name === 'logs' && Array.isArray(child)) takeAll(hasFailed(node) ? [] : child, own)
      else if (typeof child === 'object') visit(child, own, depth + 1)
    }
  }

  visit(value, { txHash: null, from: null }, 0)
  if (!isFound) return null
  return [...found].map(([txHash, { from, logs }]) => ({
    txHash,
    from: from ?? senders.get(txHash) ?? null,
    logs: [...logs.values()].sort((one, other) => one.logIndex - other.logIndex),
  }))
}

/** A transaction and its receipt name the same hash and sender; either may stand around or beside the other. */
function aroundOf(node: Json, outer: Around): Around {
  const beside = [node.tx, node.transaction].find(isObject)
  const txHash =
    transactionOf(node) ??
    (senderOf(node) !== null || 'receipt' in node ? hashOf(node.hash) : null) ??
    hashOf(beside?.hash) ??
    outer.txHash
  const from = senderOf(node) ?? (beside ? senderOf(beside) : null)
  return { txHash, from: from ?? (txHash === outer.txHash ? outer.from : null) }
}

// Nodes name fields in one way, and databases that keep what they answered in another.
const transactionOf = (node: Json) => hashOf(node.transactionHash) ?? hashOf(node.transaction_hash)
const senderOf = (node: Json) => addressOf(node.from) ?? addressOf(node.from_address)

/** What a transaction that failed wrote was reverted with it. */
function hasFailed({ status }: Json): boolean {
  return status === false || numberOf(status) === 0
}

/** Are these two logs of one transaction? */
export function isOfOne(one: unknown, other: unknown): boolean {
  return isObject(one) && isObject(other) && transactionOf(one) === transactionOf(other)
}

/** As a node gives it, by its shape. */
export function isLog(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.topics) && addressOf(value.address) !== null
}

/** Null: it is no log, or one that was reverted. */
function toLog(item: Json, position: number, transactionHash: string): EvmLog | null {
  const address = addressOf(item.address)
  if (address === null || item.removed === true) return null
  if (!Array.isArray(item.topics)) return null
  // Some fill up to four.
  const topics = item.topics.flatMap((topic) => (topic ? String(topic).toLowerCase() : []))
  const data = typeof item.data === 'string' ? item.data.toLowerCase() : '0x'
  const logIndex = numberOf(item.logIndex) ?? numberOf(item.log_index) ?? position
  return { address, topics, data, logIndex, transactionHash }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Nodes write hex; others write numbers, or decimals as text, and explorers no digit for zero. */
function numberOf(value: unknown): number | null {
  if (value === '0x') return 0
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return null
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 0 ? number : null
}

function textOf(value: unknown, form: RegExp): string | null {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return form.test(text) ? text : null
}

const addressOf = (value: unknown) => textOf(value, addressForm)
const hashOf = (value: unknown) => textOf(value, hashForm)
