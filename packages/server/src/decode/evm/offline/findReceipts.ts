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

/**
 * Every receipt in an answer of a node, or in whatever somebody wrapped around such answers: objects that have `logs`. Null:
 * there is none. Logs without an index of their own are counted, and those that a node gives twice are there once.
 */
export function findReceipts(value: unknown): OfflineReceipt[] | null {
  const found = new Map<string, { from: string | null; logs: Map<number, EvmLog> }>()
  const senders = new Map<string, string>()
  let isFound = false

  function take(logs: readonly unknown[], around: Around): void {
    isFound = true
    for (const [position, item] of logs.entries()) {
      if (!isObject(item)) continue
      const log = toLog(item, position, around.txHash)
      if (log === null) continue
      const receipt = found.get(log.transactionHash) ?? { from: null, logs: new Map() }
      found.set(log.transactionHash, receipt)
      if (log.transactionHash === around.txHash) receipt.from ??= around.from
      receipt.logs.set(log.logIndex, log)
    }
  }

  function visit(node: unknown, around: Around): void {
    if (Array.isArray(node)) {
      for (const item of node) visit(item, around)
      return
    }
    if (!isObject(node)) return
    const own = aroundOf(node, around)
    if (own.txHash !== null && own.from !== null) senders.set(own.txHash, own.from)
    for (const [name, child] of Object.entries(node)) {
      if (name === 'logs' && Array.isArray(child)) take(child, own)
      else if (typeof child === 'object') visit(child, own)
    }
  }

  visit(value, { txHash: null, from: null })
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
    hashOf(node.transactionHash) ??
    ('from' in node || 'receipt' in node ? hashOf(node.hash) : null) ??
    hashOf(beside?.hash) ??
    outer.txHash
  const from = addressOf(node.from) ?? addressOf(beside?.from)
  return { txHash, from: from ?? (txHash === outer.txHash ? outer.from : null) }
}

/** Null: it is no log, or one that was reverted. */
function toLog(item: Json, position: number, txHashAround: string | null): EvmLog | null {
  const address = addressOf(item.address)
  const transactionHash = hashOf(item.transactionHash) ?? txHashAround
  if (address === null || transactionHash === null || item.removed === true) return null
  if (!Array.isArray(item.topics)) return null
  const topics = item.topics.map((topic) => String(topic).toLowerCase())
  const data = typeof item.data === 'string' ? item.data.toLowerCase() : '0x'
  return { address, topics, data, logIndex: numberOf(item.logIndex) ?? position, transactionHash }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Nodes write hex; others write numbers, or decimals as text. */
function numberOf(value: unknown): number | null {
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
