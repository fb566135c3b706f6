import { encodeBase58 } from '../../../lib/bytes/base58.ts'
import { encodeKey } from '../../../lib/bytes/encodeKey.ts'
import type { BlockRef } from '../../../model/block.ts'
import type {
  RpcInstruction,
  RpcMessage,
  RpcMeta,
  RpcTokenBalance,
  RpcTransaction,
} from '../../../model/solana/rpcTransaction.ts'
import { type Field, fieldsOf } from './grpcStream.ts'

/** Reads number, hash and parent of a SubscribeUpdateBlock; null if the bytes are not a block. */
export function readGrpcRef(block: Buffer): BlockRef | null {
  const ref = { number: 0, hash: '', parentNumber: 0, parentHash: '', timeS: 0 }
  for (const { number, value, bytes } of fieldsOf(block)) {
    if (number === 1) ref.number = value
    else if (number === 2) ref.hash = bytes.toString()
    else if (number === 4) ref.timeS = numberIn(bytes, 1)
    else if (number === 7) ref.parentNumber = value
    else if (number === 8) ref.parentHash = bytes.toString()
  }
  return ref.hash === '' || ref.parentHash === '' || ref.parentNumber >= ref.number ? null : ref
}

/**
 * Reads a block's transactions in order, in the form of JSON-RPC. Failed transactions and votes are
 * dropped: no decoder reads them.
 */
export function readGrpcTransactions(block: Buffer): RpcTransaction[] {
  const read: { index: number; transaction: RpcTransaction }[] = []
  for (const { number, bytes } of fieldsOf(block))
    if (number === 6) {
      const transaction = readTransaction(bytes)
      if (transaction !== null) read.push(transaction)
    }
  return read.sort((a, b) => a.index - b.index).map(({ transaction }) => transaction)
}

/** Reads a SubscribeUpdateTransactionInfo. */
function readTransaction(info: Buffer): { index: number; transaction: RpcTransaction } | null {
  let [signed, metaBytes, index, isVote]: [Buffer | null, Buffer | null, number, boolean] = [
    ...([null, null, 0, false] as const),
  ]
  for (const { number, value, bytes } of fieldsOf(info)) {
    if (number === 2) isVote = value === 1
    else if (number === 3) signed = bytes
    else if (number === 4) metaBytes = bytes
    else if (number === 5) index = value
  }
  const meta = isVote || metaBytes === null ? null : readMeta(metaBytes)
  if (signed === null || meta === null) return null
  return { index, transaction: { transaction: readSigned(signed), meta } }
}

function readSigned(signed: Buffer): { signatures: string[]; message: RpcMessage } {
  const signatures: string[] = []
  let message: RpcMessage = { accountKeys: [], instructions: [] }
  for (const { number, bytes } of fieldsOf(signed)) {
    if (number === 1) signatures.push(encodeBase58(bytes))
    else if (number === 2) message = readMessage(bytes)
  }
  return { signatures, message }
}

function readMessage(message: Buffer): RpcMessage {
  const accountKeys: string[] = []
  const instructions: RpcInstruction[] = []
  let header = { numRequiredSignatures: 0 }
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 1) header = { numRequiredSignatures: numberIn(bytes, 1) }
    else if (number === 2) accountKeys.push(keyOf(bytes))
    else if (number === 4) instructions.push(readInstruction(bytes))
  }
  return { accountKeys, header, instructions }
}

/** Reads a CompiledInstruction, or an InnerInstruction, which also has a stack height. */
function readInstruction(instruction: Buffer): RpcInstruction {
  const read = { programIdIndex: 0, accounts: [] as number[], data: noBytes as Buffer }
  let stackHeight: number | null = null
  for (const { number, value, bytes } of fieldsOf(instruction)) {
    if (number === 1) read.programIdIndex = value
    else if (number === 2) read.accounts = [...bytes]
    else if (number === 3) read.data = bytes
    else if (number === 4) stackHeight = value
  }
  return { ...read, stackHeight }
}

const noBytes = Buffer.alloc(0)

type ReadMeta = {
  preBalances: number[]
  postBalances: number[]
  inner: { index: number; instructions: RpcInstruction[] }[]
  logs: string[] | null
  pre: RpcTokenBalance[]
  post: RpcTokenBalance[]
  writable: string[]
  readonly: string[]
}

/** Readers of TransactionStatusMeta by field number. */
const metaFields: Readonly<Record<number, (meta: ReadMeta, field: Field) => void>> = {
  3: (meta, field) => meta.preBalances.push(...numbersOf(field)),
  4: (meta, field) => meta.postBalances.push(...numbersOf(field)),
  5: (meta, { bytes }) => meta.inner.push(readInner(bytes)),
  6: (meta, { bytes }) => meta.logs?.push(bytes.toString()),
  7: (meta, { bytes }) => meta.pre.push(readBalance(bytes)),
  8: (meta, { bytes }) => meta.post.push(readBalance(bytes)),
  11: (meta, { value }) => {
    if (value === 1) meta.logs = null
  },
  12: (meta, { bytes }) => meta.writable.push(keyOf(bytes)),
  13: (meta, { bytes }) => meta.readonly.push(keyOf(bytes)),
}

/** Reads a transaction's metadata; null for a failed transaction. */
function readMeta(message: Buffer): RpcMeta | null {
  const read: ReadMeta = {
    preBalances: [],
    postBalances: [],
    inner: [],
    logs: [],
    pre: [],
    post: [],
    writable: [],
    readonly: [],
  }
  for (const field of fieldsOf(message)) {
    if (field.number === 1) return null
    metaFields[field.number]?.(read, field)
  }
  const { preBalances, postBalances, inner, logs, pre, post, writable, readonly } = read
  return {
    err: null,
    preBalances,
    postBalances,
    innerInstructions: inner,
    logMessages: logs,
    preTokenBalances: pre,
    postTokenBalances: post,
    loadedAddresses: { writable, readonly },
  }
}

function readInner(message: Buffer): ReadMeta['inner'][number] {
  const inner = { index: 0, instructions: [] as RpcInstruction[] }
  for (const { number, value, bytes } of fieldsOf(message)) {
    if (number === 1) inner.index = value
    else if (number === 2) inner.instructions.push(readInstruction(bytes))
  }
  return inner
}

function readBalance(message: Buffer): RpcTokenBalance {
  const balance = { accountIndex: 0, mint: '', owner: '', amount: '0' }
  for (const { number, value, bytes } of fieldsOf(message)) {
    if (number === 1) balance.accountIndex = value
    else if (number === 2) balance.mint = bytes.toString()
    else if (number === 3) balance.amount = textIn(bytes, 3)
    else if (number === 4) balance.owner = bytes.toString()
  }
  const { accountIndex, mint, owner, amount } = balance
  const uiTokenAmount = { amount: rawAmount.test(amount) ? amount : '0' }
  return { accountIndex, mint, ...(owner !== '' && { owner }), uiTokenAmount }
}

const rawAmount = /^\d{1,20}$/
const keyBytes = 32

function keyOf(bytes: Buffer): string {
  return bytes.length === keyBytes ? encodeKey(bytes, 0) : encodeBase58(bytes)
}

function numberIn(message: Buffer, wanted: number): number {
  for (const { number, value } of fieldsOf(message)) if (number === wanted) return value
  return 0
}

function textIn(message: Buffer, wanted: number): string {
  for (const { number, bytes } of fieldsOf(message)) if (number === wanted) return bytes.toString()
  return ''
}

/** Repeated numbers are encoded one by one or packed into one field. */
function numbersOf({ value, bytes }: Field): number[] {
  if (bytes.length === 0) return [value]
  const numbers: number[] = []
  let [sum, scale] = [0, 1]
  for (const byte of bytes) {
    sum += (byte & 0x7f) * scale
    scale *= 128
    if (byte >= 0x80) continue
    numbers.push(sum)
    ;[sum, scale] = [0, 1]
  }
  return numbers
}
