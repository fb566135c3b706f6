import { BoundedMap } from '../../lib/boundedMap.ts'
import { nestedTooDeeply, nestingMax } from '../../lib/jsonValues.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import {
  hasFailed,
  hashOf,
  isLog,
  isObject,
  isSameTransaction,
  type Json,
  looksLikeLog,
  numberOf,
  readLog,
  senderOf,
  transactionOf,
} from './rawLog.ts'

/** One transaction with its logs. */
export type OfflineReceipt = {
  txHash: string
  /** The signer; null if nothing around the logs names it. */
  from: string | null
  logs: EvmLog[]
}

/** Context of logs: fields of the objects around them. */
type Around = {
  txHash: string | null
  from: string | null
  /** Position in its list. */
  place: { at: number; of: number } | null
}

/** Reports skipped input by its kind, a plural. `where` locates the first. */
export type OnSkip = (what: string, count: number, where?: string) => void

type ReceiptFinder = {
  /**
   * Finds every receipt in an answer of a node, however it is wrapped: objects with `logs`, and
   * loose logs as `eth_getLogs` returns them. Null if no transaction can be found for them. Numbers
   * logs without an index, and drops duplicates.
   */
  find(value: unknown): OfflineReceipt[] | null
}

type Receipt = { from: string | null; logs: Map<number, EvmLog> }

/**
 * Senders of transactions. Bounded: a day has millions, and files that list senders separately do
 * so nearby.
 */
export class Senders extends BoundedMap<string, string> {
  constructor() {
    super(200_000)
  }
}
const unreadLogs = 'logs that cannot be read'
const noAround: Around = { txHash: null, from: null, place: null }

/** Finds the receipts in one value. */
export function findReceipts(value: unknown): OfflineReceipt[] | null {
  return createReceiptFinder().find(value)
}

/**
 * Keeps senders and a block's transactions of one value for the values after it. `onSkip` counts
 * input that cannot be read, by kind.
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
    // A filter of a request has topics, too, but no data.
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
    // The first sender is the transaction's. Calls inside of it have senders of their own.
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
    if (looksLikeLog(node)) {
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

/** Some nodes give all logs the same index: none of them is lost. */
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

/**
 * A transaction and its receipt have the same hash and sender. Either may contain the other or
 * stand next to it.
 */
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

/** Is `hash` a transaction's rather than a block's? */
function isTransaction(node: Json): boolean {
  if (senderOf(node) !== null || 'receipt' in node) return true
  return 'logs' in node && !('parentHash' in node || 'transactions' in node || 'receipts' in node)
}

/** Databases often store answers as JSON inside of strings. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** A block with its transactions. */
type FoundBlock = {
  hash: string | null
  transactions: readonly { hash: string | null; index: number | null }[]
}

/** Returns the block that the value is or contains; null if none exists. */
function blockIn(node: Json): FoundBlock | null {
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
function hashInBlock(
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

type Values = Iterable<unknown> | AsyncIterable<unknown>

// A day has millions.
const logsHeldMax = 100_000

type ReceiptsInOptions = {
  /** Signers known so far; reading adds to them. */
  senders: Senders
  /** @default none */
  onSkip?: OnSkip | undefined
}

/**
 * Yields the receipts of consecutive values. Loose logs of one transaction are joined across
 * values.
 */
export async function* receiptsIn(
  values: Values,
  { senders, onSkip }: ReceiptsInOptions,
): AsyncGenerator<OfflineReceipt[]> {
  const finder = createReceiptFinder(senders, onSkip)
  const receiptsOf = (value: unknown) => {
    const receipts = finder.find(value)
    return receipts === null ? [] : [receipts]
  }
  let logs: unknown[] = []
  for await (const value of values) {
    if (isLog(value)) {
      if (logs.length > logsHeldMax && !isSameTransaction(value, logs.at(-1))) {
        yield* receiptsOf(logs)
        logs = []
      }
      logs.push(value)
      continue
    }
    yield* receiptsOf(logs)
    logs = []
    yield* receiptsOf(value)
  }
  yield* receiptsOf(logs)
}
