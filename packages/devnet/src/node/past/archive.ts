import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** A block as RPC tells it, its transactions whole. */
export type RpcBlock = {
  number: string
  hash: string
  parentHash: string
  stateRoot: string
  timestamp: string
  mixHash: string
  parentBeaconBlockRoot: string
  transactions: readonly { hash: string }[]
}

export type RpcLog = { address: string; topics: readonly string[]; blockNumber: string }

export type PastBlock = {
  block: RpcBlock
  receipts: readonly { transactionHash: string; logs: readonly RpcLog[] }[]
}

/**
 * Blocks that nothing can change any more, one after another from genesis on, in a file: the EVM starts behind them. A few
 * numbers per block are in memory. One process appends while others read what was there when they were told of it.
 */
export type Archive = {
  /** Of the file, which may have more than is known here. */
  size(): number
  /** How much of it is known here. */
  bytes(): number
  /** -1 when it is empty. */
  lastNumber(): number
  append(blocks: readonly PastBlock[]): void
  /** Drops what comes behind. */
  truncate(bytes: number): void
  /** Learns what another process has appended. */
  follow(bytes: number): void
  read(number: number): PastBlock | undefined
  numberOfBlock(hash: string): number | undefined
  numberOfTransaction(hash: string): number | undefined
  close(): void
}

// Of a record: its length, its number, how many transactions; then the hashes of block and transactions, then the rest, packed.
const headBytes = 12
const hashBytes = 32

// Clients ask for a block, then its receipts, then its logs.
const keptBlocksMax = 32

export const archiveName = 'blocks'

export function openArchive(dir: string): Archive {
  mkdirSync(dir, { recursive: true })
  const fd = openSync(join(dir, archiveName), 'a+')
  const starts: number[] = []
  const blocks = new Map<number, number>()
  const transactions = new Map<number, number>()
  const kept = new Map<number, PastBlock>()
  let end = 0

  function follow(bytes: number): void {
    while (end < bytes) {
      const head = readAt(fd, end, headBytes)
      const hashCount = 1 + head.readUInt16BE(8)
      const hashes = readAt(fd, end + headBytes, hashCount * hashBytes)
      const number = starts.length
      blocks.set(keyOf(hashes.toString('hex', 0, hashBytes)), number)
      for (let at = hashBytes; at < hashes.length; at += hashBytes)
        transactions.set(keyOf(hashes.toString('hex', at, at + hashBytes)), number)
      starts.push(end)
      end += head.readUInt32BE(0)
    }
  }

  function read(number: number): PastBlock | undefined {
    const start = starts[number]
    if (start === undefined) return undefined
    const known = kept.get(number)
    if (known) return known
    const record = readAt(fd, start, (starts[number + 1] ?? end) - start)
    const packed = record.subarray(headBytes + (1 + record.readUInt16BE(8)) * hashBytes)
    const block = JSON.parse(inflateRawSync(packed).toString()) as PastBlock
    kept.set(number, block)
    if (kept.size > keptBlocksMax) kept.delete(kept.keys().next().value!)
    return block
  }

  return {
    size: () => fstatSync(fd).size,
    bytes: () => end,
    lastNumber: () => starts.length - 1,
    append(added) {
      const records = added.map(encodeBlock)
      const bytes = records.reduce((sum, { length }) => sum + length, end)
      for (const record of records) writeSync(fd, record)
      fsyncSync(fd)
      follow(bytes)
    },
    truncate(bytes) {
      ftruncateSync(fd, bytes)
    },
    follow,
    read,
    numberOfBlock(hash) {
      const number = blocks.get(keyOf(hash.slice(2)))
      return number !== undefined && read(number)?.block.hash === hash ? number : undefined
    },
    numberOfTransaction(hash) {
      const number = transactions.get(keyOf(hash.slice(2)))
      const found = number === undefined ? undefined : read(number)
      return found?.block.transactions.some((known) => known.hash === hash) ? number : undefined
    },
    close: () => closeSync(fd),
  }
}

/** 52 bits of a hash: a whole one as text takes four times the memory, and what is found is compared whole. */
function keyOf(hex: string): number {
  return Number.parseInt(hex.slice(0, 13), 16)
}

function encodeBlock(past: PastBlock): Buffer {
  const { block } = past
  const hashes = [block, ...block.transactions].map(({ hash }) => hash.slice(2)).join('')
  const packed = deflateRawSync(JSON.stringify(past), { level: 3 })
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(headBytes + hashes.length / 2 + packed.length, 0)
  head.writeUInt32BE(Number(block.number), 4)
  head.writeUInt16BE(block.transactions.length, 8)
  return Buffer.concat([head, Buffer.from(hashes, 'hex'), packed])
}

function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  readSync(fd, buffer, 0, length, position)
  return buffer
}
