import type { BlockTime } from '../../../model/block.ts'
import { bloomChars } from '../verify/bloom.ts'

/** A parsed block header. Hashes are lowercase. */
export type EvmHeader = {
  number: number
  hash: string
  parentHash: string
  /** Bloom filter of the logs; null if the chain has none or leaves it empty. */
  bloom: string | null
  /** Root of the receipts trie; null if the header has none. */
  receiptsRoot: string | null
  /**
   * The fields hash to the block's hash. While the chain builds on that hash, every field is true.
   */
  isProven: boolean
} & BlockTime

/** Shapes of JSON-RPC answers. Every field is checked before use. */
export type RawLog = {
  address: string
  topics: string[]
  data: string
  blockNumber: string
  blockHash: string
  logIndex: string
  transactionHash: string
  transactionIndex: string
}

export type RawTransaction = { hash: string; from: string }
export type RawReceipt = {
  transactionHash: string
  blockHash: string
  from: string
  logs: RawLog[]
  /** Fields of a receipt that are hashed besides its logs. */
  type?: string
  status?: string
  root?: string
  cumulativeGasUsed?: string
  logsBloom?: string
  depositNonce?: string
  depositReceiptVersion?: string
}

export type RawBlock = {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  /** Unix milliseconds on Base since Denim. */
  timestampMs?: string
  /** Unix milliseconds on BSC (BEP-520) and Sei. */
  milliTimestamp?: string
  logsBloom?: string
  receiptsRoot?: string
  /**
   * On Avalanche since Helicon (ACP-194), bloom filter and receipts root cover earlier blocks, up
   * to this height.
   */
  settledHeight?: string | null
  /** Hashes, or objects if full blocks were requested. */
  transactions: (string | RawTransaction)[]
}

const hashPattern = /^0x[\da-f]{64}$/
const emptyBloomPattern = /^0x0*$/
const quantityPattern = /^0x(?:0|[1-9a-f][\da-f]*)$/i

/** Parses a header; null if the value is not a block. */
export function parseHeader(raw: unknown): EvmHeader | null {
  if (typeof raw !== 'object' || raw === null) return null
  const block = raw as Partial<RawBlock>
  const { number, hash, parentHash, timestamp, logsBloom, receiptsRoot } = block
  if (typeof hash !== 'string' || typeof parentHash !== 'string') return null
  const header = {
    number: parseQuantity(number),
    hash: hash.toLowerCase(),
    parentHash: parentHash.toLowerCase(),
    ...parseTime(timestamp, block.timestampMs ?? block.milliTimestamp),
    bloom: parseBloom(logsBloom),
    receiptsRoot: typeof receiptsRoot === 'string' ? receiptsRoot.toLowerCase() : null,
    isProven: false,
  }
  const isBlock =
    Number.isSafeInteger(header.number) &&
    Number.isSafeInteger(header.timeS) &&
    hashPattern.test(header.hash) &&
    hashPattern.test(header.parentHash)
  return isBlock ? header : null
}

/**
 * Block milliseconds are not covered by the hash, and nothing is computed from them. A value
 * outside the block's second is ignored: treating it as a fault would stop the chain for a field
 * that clients may not even read.
 */
function parseTime(seconds: unknown, milliseconds: unknown): BlockTime {
  const timeS = parseQuantity(seconds)
  if (typeof milliseconds !== 'string' || !quantityPattern.test(milliseconds)) return { timeS }
  const timeMs = Number(milliseconds)
  return Math.floor(timeMs / 1_000) === timeS ? { timeS, timeMs } : { timeS }
}

function parseBloom(bloom: unknown): string | null {
  if (typeof bloom !== 'string' || bloom.length !== bloomChars) return null
  return emptyBloomPattern.test(bloom) ? null : bloom
}

/**
 * Parses a hex quantity; NaN if it is malformed. Never throws: even the conversion of an object
 * could throw.
 */
export function parseQuantity(quantity: unknown): number {
  return typeof quantity === 'string' && quantity.length > 0 ? Number(quantity) : Number.NaN
}

export function toQuantity(number: number): string {
  return `0x${number.toString(16)}`
}
