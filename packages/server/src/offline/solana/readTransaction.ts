import { readWireHead, readWireInstructions } from '../../decode/solana/readWireMessage.ts'
import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { isRpcTransaction } from '../../model/solana/isRpcTransaction.ts'
import type { RpcTransaction, RpcWire } from '../../model/solana/rpcTransaction.ts'
import { isJsonParsed, toJsonEncoding } from './toJsonEncoding.ts'

/** Reasons to skip transactions, as plurals behind a count. */
export const faults = {
  noInstructions: 'transactions without instructions (ask for transactionDetails full)',
  malformed: 'malformed transactions',
  encoding: 'transactions in an unknown encoding (ask for json, jsonParsed, base64 or base58)',
  notEncoded: 'transactions that are not valid base64 or base58',
  noBytes: 'transactions whose bytes are cut or not a transaction',
  data: 'transactions with instruction data that is not base58',
  lookups: 'transactions without the accounts of their lookup tables (loadedAddresses)',
  places: 'transactions with account indexes out of range',
} as const

export type Fault = (typeof faults)[keyof typeof faults]

const base64 = /^[A-Za-z0-9+/]+={0,2}$/
const base58 = /^[1-9A-HJ-NP-Za-km-z]*$/

/** Returns a transaction in the encoding json, base64 or base58, or why it cannot be decoded. */
export function readTransaction(given: RpcTransaction): RpcTransaction | Fault {
  // A failed transaction is not decoded.
  if (given.meta?.err) return given
  if (!hasInstructions(given)) return faults.noInstructions
  const transaction = isJsonParsed(given) ? toJsonEncoding(given) : given
  if (transaction === null || !isRpcTransaction(transaction)) return faults.malformed
  return faultOf(transaction) ?? transaction
}

/** With transactionDetails other than full, nodes leave out the instructions. */
export function hasInstructions({ transaction }: RpcTransaction): boolean {
  if (!('message' in transaction)) return Array.isArray(transaction)
  const { message } = transaction
  return Array.isArray(message?.accountKeys) && Array.isArray(message.instructions)
}

type Placed = { accounts: readonly number[]; place: number }

function faultOf({ meta, transaction }: RpcTransaction): Fault | null {
  const { loadedAddresses } = meta ?? {}
  const loaded = (loadedAddresses?.writable.length ?? 0) + (loadedAddresses?.readonly.length ?? 0)
  const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) => instructions)
  const own = 'message' in transaction ? transaction.message : readWire(transaction)
  if (typeof own === 'string') return own
  const written = 'message' in transaction ? [...transaction.message.instructions, ...inner] : inner
  if (!written.every(({ data }) => base58.test(String(data)))) return faults.data
  const count = loaded + ('accountKeys' in own ? own.accountKeys.length : own.keyCount)
  const called: Placed[] = [
    ...('keyCount' in own ? own.placed : []),
    ...written.map(({ accounts, programIdIndex }) => ({ accounts, place: programIdIndex })),
  ]
  const isKnown = (place: number) => place < count
  if (called.every(({ accounts, place }) => isKnown(place) && accounts.every(isKnown))) return null
  return loadedAddresses ? faults.places : faults.lookups
}

function readWire([text, encoding]: RpcWire): { keyCount: number; placed: Placed[] } | Fault {
  if (encoding !== 'base64' && encoding !== 'base58') return faults.encoding
  if (encoding === 'base64' && !base64.test(text)) return faults.notEncoded
  const bytes = encoding === 'base64' ? Buffer.from(text, 'base64') : decodeBase58(text)
  if (bytes === null) return faults.notEncoded
  const head = readWireHead(bytes)
  const instructions = head && readWireInstructions(head)
  if (!head || !instructions) return faults.noBytes
  const placed = instructions.map(({ program, accounts }) => ({ accounts, place: program }))
  return { keyCount: head.keys.count, placed }
}
