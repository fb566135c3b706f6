import { blockTimeOf } from '../../../model/block.ts'
import type { EvmBlock, EvmLog } from '../../../model/evm/evmBlock.ts'
import {
  type EvmHeader,
  parseQuantity,
  type RawBlock,
  type RawLog,
  type RawReceipt,
  type RawTransaction,
} from '../fetch/rawBlock.ts'
import { type BloomBits, type BloomIndex, countBloomBits, isInBloom } from './bloom.ts'
import type { CheckName } from './failedChecks.ts'
import type { HashFormat, Verdict } from './headerReader.ts'
import { receiptsRootOf } from './receiptsRoot.ts'

/** Which contradictions count as faults. Chains that break a rule by design turn its check off. */
export type NodeChecks = {
  /** Logs match the header's bloom filter. */
  bloom: boolean
  /** Every log's transaction is in the block. */
  transactions: boolean
  /** All logs of a block are numbered from 0 without a gap. */
  logIndexes: boolean
}

export type Validation = {
  checks: NodeChecks
  /** First topics of relevant logs, with their bits in a bloom filter. */
  wanted: ReadonlyMap<string, BloomBits>
  index: BloomIndex
  /** Contracts whose other logs are counted, in lowercase. @default none */
  watched?: ReadonlySet<string> | undefined
  /** How receipts are hashed; null: their root is not checked. */
  receipts: HashFormat | null
}

export type BlockParts = {
  header: EvmHeader
  logs: readonly RawLog[]
  /** All logs of the block were requested, not only the relevant ones. */
  isComplete: boolean
  transactions: RawBlock['transactions']
  receipts: readonly RawReceipt[] | null
}

/**
 * Result of a validation. `isSuspect`: no contradiction, but the bloom filter matches relevant logs
 * that are missing. `isProven`: the receipts match the root in the header, and the header matches
 * its hash.
 */
type Validated =
  | { fault: null; block: EvmBlock; isSuspect: boolean; isProven: boolean }
  | { fault: string; check: CheckName | null; block: null }

/**
 * Validates a block's parts. Returns the block, or how its parts contradict each other, never in
 * the node's words.
 */
export function validateBlock(parts: BlockParts, validation: Validation): Validated {
  const fault = faultOfLogs(parts, validation) ?? faultOfReceipts(parts, validation.checks)
  if (fault !== null) return fault
  const verdict = verdictOnReceipts(parts, validation.receipts)
  if (verdict === 'false')
    return faultOf('Receipts do not make up the root in the header', 'receipts_root')
  const { header } = parts
  const senders = new Map<string, string>()
  const logs: EvmLog[] = []
  const unclaimed: { address: string; topic: string }[] = []
  // Logs of one transaction are adjacent and share the text of its hash.
  let rawHash = ''
  let transactionHash = ''
  for (const raw of parts.logs) {
    const topics = lowerAll(raw.topics)
    if (topics.length === 0) continue
    if (!validation.wanted.has(topics[0]!)) {
      const address = raw.address.toLowerCase()
      if (validation.watched?.has(address)) unclaimed.push({ address, topic: topics[0]! })
      continue
    }
    if (raw.transactionHash !== rawHash) {
      rawHash = raw.transactionHash
      transactionHash = rawHash.toLowerCase()
    }
    if (!senders.has(transactionHash)) {
      const sender = senderOf(parts, parseQuantity(raw.transactionIndex), transactionHash)
      if (sender !== null) senders.set(transactionHash, sender)
      else if (validation.checks.transactions)
        return faultOf(
          `Transaction of log ${Number(raw.logIndex)} is not in the block`,
          'transactions',
        )
    }
    logs.push({
      address: raw.address.toLowerCase(),
      topics,
      data: raw.data,
      logIndex: Number(raw.logIndex),
      transactionHash,
    })
  }
  const { number, hash, parentHash } = header
  const ref = { number, hash, parentNumber: number - 1, parentHash, ...blockTimeOf(header) }
  const block = { ref, logs, senders, ...(unclaimed.length > 0 && { unclaimed }) }
  const isSuspect = !parts.isComplete && promisesMore(header, logs, validation)
  return { fault: null, block, isSuspect, isProven: verdict === 'proven' && header.isProven }
}

type Faulty = Extract<Validated, { fault: string }>

/** Creates a fault. `check` null: the rule holds on every chain and cannot be turned off. */
function faultOf(fault: string, check: CheckName | null = null): Faulty {
  return { fault, check, block: null }
}

/** Returns the validation with one check turned off. */
export function withoutCheck(validation: Validation, check: CheckName): Validation {
  const { checks } = validation
  if (check === 'receipts_root') return { ...validation, receipts: null }
  if (check === 'log_indexes') return { ...validation, checks: { ...checks, logIndexes: false } }
  return check === 'header_hash'
    ? validation
    : { ...validation, checks: { ...checks, [check]: false } }
}

const emptyRoot = receiptsRootOf([])

function verdictOnReceipts({ header, receipts }: BlockParts, form: HashFormat | null): Verdict {
  if (form === null || receipts === null || header.receiptsRoot === null) return 'unknown'
  // An empty list has the same root on every chain, so it does not show how the chain hashes
  // receipts.
  if (receipts.length === 0 && header.receiptsRoot === emptyRoot) return 'proven'
  return form.judge(receiptsRootOf(receipts), header.receiptsRoot)
}

function faultOfLogs(parts: BlockParts, validation: Validation): Faulty | null {
  const { header, logs, isComplete } = parts
  let last = -1
  let rightNumber: string | null = null
  for (const log of logs) {
    if (!isLog(log)) return faultOf('A log has no address, topics, data or place')
    if (log.blockHash !== header.hash && log.blockHash.toLowerCase() !== header.hash)
      return faultOf(`Log ${Number(log.logIndex)} is of another block`)
    if (log.blockNumber !== rightNumber && Number(log.blockNumber) !== header.number)
      return faultOf(`Log ${Number(log.logIndex)} is of block number ${Number(log.blockNumber)}`)
    rightNumber = log.blockNumber
    const index = Number(log.logIndex)
    if (!Number.isSafeInteger(index) || index <= last)
      return faultOf(`Log ${index} follows log ${last}`)
    if (isComplete && validation.checks.logIndexes && index !== last + 1)
      return faultOf(`Log ${last + 1} is missing`, 'log_indexes')
    last = index
  }
  return validation.checks.bloom ? faultOfBloom(parts, validation.index) : null
}

/**
 * Checks that every log is in the bloom filter, and that all logs of a block together match it
 * exactly.
 */
function faultOfBloom({ header, logs, isComplete }: BlockParts, index: BloomIndex): Faulty | null {
  const { bloom } = header
  if (bloom === null) return null
  const seen = new Set<number>()
  for (const log of logs) {
    if (!isInBloom(bloom, index.bitsOf(log.address))) return notInBloom(log)
    // Later topics are mostly new wallets, which are slow to hash. They are checked only if all
    // logs are present.
    const topics = isComplete ? log.topics.length : Math.min(1, log.topics.length)
    for (let at = 0; at < topics; at += 1) {
      const bits = index.bitsOf(log.topics[at]!)
      if (!isInBloom(bloom, bits)) return notInBloom(log)
      if (isComplete) for (const bit of bits) seen.add(bit)
    }
    if (isComplete) for (const bit of index.bitsOf(log.address)) seen.add(bit)
  }
  return !isComplete || seen.size === countBloomBits(bloom)
    ? null
    : faultOf('Logs that the block filter promises are missing', 'bloom')
}

function notInBloom({ logIndex }: RawLog): Faulty {
  return faultOf(`Log ${Number(logIndex)} is not in the block's filter`, 'bloom')
}

function faultOfReceipts(
  { header, receipts, transactions }: BlockParts,
  checks: NodeChecks,
): Faulty | null {
  if (receipts === null) return null
  if (checks.transactions && receipts.length !== transactions.length)
    return faultOf(
      `${receipts.length} receipts for ${transactions.length} transactions`,
      'transactions',
    )
  for (const receipt of receipts) {
    if (!isReceipt(receipt)) return faultOf('A receipt has no transaction, block or sender')
    if (receipt.blockHash.toLowerCase() !== header.hash)
      return faultOf('A receipt is of another block')
  }
  return null
}

function isReceipt(receipt: RawReceipt): boolean {
  return (
    typeof receipt === 'object' &&
    receipt !== null &&
    typeof receipt.transactionHash === 'string' &&
    typeof receipt.blockHash === 'string' &&
    typeof receipt.from === 'string'
  )
}

function isLog(log: RawLog): boolean {
  return (
    typeof log === 'object' &&
    log !== null &&
    typeof log.address === 'string' &&
    log.address.length === 42 &&
    Array.isArray(log.topics) &&
    log.topics.length <= 4 &&
    areTopics(log.topics) &&
    typeof log.data === 'string' &&
    typeof log.blockHash === 'string' &&
    typeof log.blockNumber === 'string' &&
    typeof log.logIndex === 'string' &&
    typeof log.transactionHash === 'string'
  )
}

function areTopics(topics: readonly unknown[]): boolean {
  for (let at = 0; at < topics.length; at += 1) {
    const topic = topics[at]
    if (typeof topic !== 'string' || topic.length !== 66) return false
  }
  return true
}

/** Returns the signer of the transaction at this index, if the log names that transaction. */
function senderOf(parts: BlockParts, place: number, transactionHash: string): string | null {
  const receipt = parts.receipts?.[place]
  if (receipt)
    return receipt.transactionHash.toLowerCase() === transactionHash
      ? receipt.from.toLowerCase()
      : null
  const transaction = parts.transactions[place] as RawTransaction | undefined
  if (typeof transaction?.hash !== 'string' || typeof transaction.from !== 'string') return null
  return transaction.hash.toLowerCase() === transactionHash ? transaction.from.toLowerCase() : null
}

// With a quarter of the bits set, one topic in 64 matches by chance; in a full filter all topics
// match.
const sparseBloomBits = 512

/**
 * Returns true if the bloom filter matches relevant logs that are missing. A full filter matches by
 * chance, so it counts only if the block has no relevant logs at all.
 */
function promisesMore(
  { bloom }: EvmHeader,
  logs: readonly EvmLog[],
  { checks, wanted }: Validation,
): boolean {
  if (bloom === null || !checks.bloom) return false
  if (logs.length > 0 && countBloomBits(bloom) > sparseBloomBits) return false
  for (const [topic, bits] of wanted)
    if (isInBloom(bloom, bits) && !logs.some(({ topics }) => topics[0] === topic)) return true
  return false
}

/**
 * Lowercases texts. Most nodes send lowercase already, and then the same strings are returned
 * without a copy.
 */
function lowerAll(texts: string[]): string[] {
  for (let at = 0; at < texts.length; at += 1)
    if (texts[at] !== texts[at]!.toLowerCase()) return texts.map((text) => text.toLowerCase())
  return texts
}
