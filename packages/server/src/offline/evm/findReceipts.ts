import { BoundedMap } from '../../lib/boundedMap.ts'
import { nestedTooDeeply, nestingMax } from '../../lib/jsonValues.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import { blockIn, type FoundBlock, hashInBlock } from './blockTransactions.ts'
import {
  hasFailed,
  hashOf,
  isLikeLog,
  isObject,
  type Json,
  readLog,
  senderOf,
  transactionOf,
} from './rawLog.ts'

/** One transaction with its logs. */
export type OfflineReceipt = {
  txHash: string
  /** Who signed it; null: nothing around the logs says so. */
  from: string | null
  logs: EvmLog[]
}

/** What is known of logs by what is around them. */
type Around = {
  txHash: string | null
  from: string | null
  /** Where in its list something stands. */
  place: { at: number; of: number } | null
}

/** Counts skipped input by its kind, a plural. `where` says where the first is. */
export type OnSkip = (what: string, count: number, where?: string) => void

export type ReceiptFinder = {
  /**
   * Every receipt in an answer of a node, or in whatever somebody wrapped around such answers: objects that have `logs`, and
   * logs that stand in no receipt, as `eth_getLogs` gives them. Null: there is none that says of which transaction it is.
   * Logs without an index of their own are counted, and those that a node gives twice are there once.
   */
  find(value: unknown): OfflineReceipt[] | null
}

type Receipt = { from: string | null; logs: Map<number, EvmLog> }

/** Senders of transactions. A day has millions, and files that name a sender apart from its receipt do so nearby. */
export class Senders extends BoundedMap<string, string> {
  constructor() {
    super(200_000)
  }
}
const unreadLogs = 'logs that cannot be read'
const noAround: Around = { txHash: null, from: null, place: null }

/** Receipts in one value alone. */
export function findReceipts(value: unknown): OfflineReceipt[] | null {
  return createReceiptFinder().find(value)
}

/**
 * Senders and a block's transactions of one value are used for the values after it. `onSkip` counts what cannot be read, by its
 * kind.
 */
export function createReceiptFinder(
  senders = new Senders(),
  onSkip: OnSkip = () => undefined,
): ReceiptFinder {
  let found = new Map<string, Receipt>()
  let isFound = false
  let block: FoundBlock | null = null

  function take(item: unknown, position: number | null, around: Around): void {
    const { removed, data } = isObject(item) ? item : {}
    const txHash = (isObject(item) ? transactionOf(item) : null) ?? around.txHash
    // What somebody asked for has topics, too, and no data.
    if (txHash === null && data !== undefined) onSkip(unreadLogs, 1)
    if (txHash === null || removed === true) return
    isFound = true
    const receipt = found.get(txHash) ?? { from: null, logs: new Map() }
    found.set(txHash, receipt)
    const log = readLog(item, position ?? receipt.logs.size, txHash)
    if (log === null) onSkip(unreadLogs, 1)
    else keepLog(receipt.logs, log)
    if (log !== null && txHash === around.txHash) receipt.from ??= around.from
  }

  function noteSender({ txHash, from }: Around): void {
    // The transaction stands before the calls in it, which have senders of their own.
    if (txHash === null || from === null || senders.has(txHash)) return
    senders.set(txHash, from)
  }

  function visitField(node: Json, name: string, own: Around, depth: number): void {
    const child = parsed(node[name])
    if (name === 'logs' && Array.isArray(child)) {
      const logs = hasFailed(node) ? [] : child
      if (logs.length === 0) isFound = true
      for (const [at, item] of logs.entries()) take(item, at, own)
    } else visit(child, { ...own, txHash: own.txHash ?? hashOf(name) }, depth + 1)
  }

  function visit(value: unknown, around: Around, depth: number): void {
    const node = parsed(value)
    if (typeof node !== 'object' || node === null) return
    if (depth > nestingMax) {
      onSkip(nestedTooDeeply, 1)
      return
    }
    if (Array.isArray(node))
      for (const [at, item] of node.entries())
        visit(item, { ...around, place: { at, of: node.length } }, depth + 1)
    if (!isObject(node)) return
    if (isLikeLog(node)) {
      take(node, null, around)
      return
    }
    block = blockIn(node) ?? block
    const own = aroundOf(node, around, block)
    noteSender(own)
    for (const name of Object.keys(node)) visitField(node, name, own, depth)
  }

  return {
    find(value) {
      found = new Map()
      isFound = false
      visit(value, noAround, 0)
      if (!isFound) return null
      return [...found].map(([txHash, { from, logs }]) => ({
        txHash,
        from: from ?? senders.get(txHash) ?? null,
        logs: [...logs.values()].sort((one, other) => one.logIndex - other.logIndex),
      }))
    },
  }
}

/** A node that numbers all logs alike does not lose them. */
function keepLog(logs: Map<number, EvmLog>, log: EvmLog): void {
  const isSame = (other: EvmLog) =>
    other.address === log.address &&
    other.data === log.data &&
    String(other.topics) === String(log.topics)
  let { logIndex } = log
  for (let other = logs.get(logIndex); other && !isSame(other); other = logs.get(logIndex))
    logIndex++
  logs.set(logIndex, { ...log, logIndex })
}

/** A transaction and its receipt name the same hash and sender; either may stand around or beside the other. */
function aroundOf(node: Json, outer: Around, block: FoundBlock | null): Around {
  const beside = [node.tx, node.transaction].find(isObject)
  const named =
    transactionOf(node) ??
    (isTransaction(node) ? hashOf(node.hash) : null) ??
    (beside ? (transactionOf(beside) ?? hashOf(beside.hash)) : null) ??
    outer.txHash
  const isCounted = named === null && 'logs' in node && block !== null
  const txHash = isCounted ? hashInBlock(block, node, outer.place) : named
  const from = senderOf(node) ?? (beside ? senderOf(beside) : null)
  const outerFrom = txHash === outer.txHash ? outer.from : null
  return { txHash, from: from ?? outerFrom, place: outer.place }
}

/** Is the hash that it has a transaction's, and no block's? */
function isTransaction(node: Json): boolean {
  if (senderOf(node) !== null || 'receipt' in node) return true
  return 'logs' in node && !('parentHash' in node || 'transactions' in node || 'receipts' in node)
}

/** Whoever keeps answers as texts, in a database or in answers of his own, wraps them once more. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
