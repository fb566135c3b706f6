import type { BlockTime } from '../../../model/block.ts'
import { bloomChars } from '../verify/bloom.ts'

/** The header of a block, parsed. Hashes are lower-case. */
export type EvmHeader = {
  number: number
  hash: string
  parentHash: string
  /** Null: the chain has no filter, or leaves it empty. */
  bloom: string | null
  /** Of the trie of its receipts; null: it does not say. */
  receiptsRoot: string | null
  /** Its fields make up its hash: as long as the chain goes on from that hash, none of them is a lie. */
  isProven: boolean
} & BlockTime

/** Shapes as JSON-RPC gives them; each field is looked at before it is believed. */
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
  /** What is hashed beside them. */
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
  /** Base since Denim: Unix milliseconds. */
  timestampMs?: string
  /** The same on BSC (BEP-520) and Sei. */
  milliTimestamp?: string
  logsBloom?: string
  receiptsRoot?: string
  /** Avalanche since Helicon (ACP-194): the filter and the receipts root are those of earlier blocks, up to this height. */
  settledHeight?: string | null
  /** Hashes, or objects where full blocks were asked for. */
  transactions: (string | RawTransaction)[]
}

const hashPattern = /^0x[\da-f]{64}$/
const emptyBloomPattern = /^0x0*$/
const quantityPattern = /^0x(?:0|[1-9a-f][\da-f]*)$/i

/** Null when it is not a block. */
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
 * The hash of a block does not cover its milliseconds, and nothing is computed from them. A value that is not a quantity
 * within the second of the block is ignored: a fault would stop the chain for a field that clients may not even read.
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

/** NaN when it is not one. Never throws: an object in its place may not even be convertible. */
export function parseQuantity(quantity: unknown): number {
  return typeof quantity === 'string' && quantity.length > 0 ? Number(quantity) : Number.NaN
}

export function toQuantity(number: number): string {
  return `0x${number.toString(16)}`
}
