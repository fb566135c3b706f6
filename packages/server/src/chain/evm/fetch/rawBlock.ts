import { bloomChars } from '../verify/bloom.ts'

/** What a block says of itself, parsed. Hashes are lower-case. */
export type EvmHeader = {
  number: number
  hash: string
  parentHash: string
  timeS: number
  /** Null: the chain has no filter, or leaves it empty. */
  bloom: string | null
  /** Of the trie of its receipts; null: it does not say. */
  receiptsRoot: string | null
  /** Its fields make up its hash: as long as the chain goes on from that hash, none of them is a lie. */
  isProven: boolean
}

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
  logsBloom?: string
  receiptsRoot?: string
  /** Avalanche since Helicon (ACP-194): the filter and the receipts root are those of earlier blocks, up to this height. */
  settledHeight?: string | null
  /** Hashes, or objects where full blocks were asked for. */
  transactions: (string | RawTransaction)[]
}

const hashPattern = /^0x[\da-f]{64}$/
const emptyBloomPattern = /^0x0*$/

/** Null when it is not a block. */
export function parseHeader(raw: unknown): EvmHeader | null {
  if (typeof raw !== 'object' || raw === null) return null
  const { number, hash, parentHash, timestamp, logsBloom, receiptsRoot } = raw as Partial<RawBlock>
  if (typeof hash !== 'string' || typeof parentHash !== 'string') return null
  const header = {
    number: parseQuantity(number),
    hash: hash.toLowerCase(),
    parentHash: parentHash.toLowerCase(),
    timeS: parseQuantity(timestamp),
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
