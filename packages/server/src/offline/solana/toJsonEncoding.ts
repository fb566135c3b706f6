import { readWireHead, readWireInstructions } from '../../decode/solana/readWireMessage.ts'
import { decodeBase58, encodeBase58 } from '../../lib/bytes/base58.ts'
import { isRpcTransaction } from '../../model/solana/isRpcTransaction.ts'
import type {
  RpcInstruction,
  RpcMeta,
  RpcTransaction,
  RpcWire,
} from '../../model/solana/rpcTransaction.ts'

type Info = Readonly<Record<string, unknown>>

/**
 * An instruction in the encoding jsonParsed: in words if the node knows the program, else
 * unchanged.
 */
type ParsedInstruction = {
  programId: string
  accounts?: readonly string[]
  data?: string
  parsed?: { type: string; info: Info } | string
  stackHeight?: number | null
}

type ParsedKey = { pubkey: string; signer: boolean; source?: string }
type ParsedMessage = {
  accountKeys: readonly ParsedKey[]
  instructions: readonly ParsedInstruction[]
}

/**
 * Turns instructions of the token and system programs, which reveal amounts, accounts and mints,
 * back into bytes.
 */
const written: Readonly<Record<string, (info: Info) => { accounts: unknown[]; data: Buffer }>> = {
  transfer: (info) =>
    'lamports' in info
      ? { accounts: [info.source, info.destination], data: lamportsSent(info.lamports) }
      : { accounts: [info.source, info.destination, authorityOf(info)], data: amountOf(3, info) },
  transferChecked: (info) => ({
    accounts: [info.source, info.mint, info.destination, authorityOf(info)],
    data: amountOf(12, info),
  }),
  transferCheckedWithFee: (info) => ({
    accounts: [info.source, info.mint, info.destination, authorityOf(info)],
    data: Buffer.concat([
      Buffer.of(26, 1),
      u64(rawAmount(info)),
      Buffer.of(0),
      u64((info.feeAmount as Info | undefined)?.amount),
    ]),
  }),
  mintTo: (info) => ({ accounts: [info.mint, info.account], data: amountOf(7, info) }),
  mintToChecked: (info) => ({ accounts: [info.mint, info.account], data: amountOf(14, info) }),
  burn: (info) => ({ accounts: [info.account, info.mint], data: amountOf(8, info) }),
  burnChecked: (info) => ({ accounts: [info.account, info.mint], data: amountOf(15, info) }),
  initializeAccount: opened(1),
  initializeAccount2: opened(16),
  initializeAccount3: opened(18),
}

function opened(tag: number) {
  return ({ account, mint }: Info) => ({ accounts: [account, mint], data: Buffer.of(tag) })
}

function authorityOf({ authority, multisigAuthority }: Info): unknown {
  return authority ?? multisigAuthority
}

function rawAmount({ amount, tokenAmount }: Info): unknown {
  return amount ?? (tokenAmount as Info | undefined)?.amount
}

function amountOf(tag: number, info: Info): Buffer {
  return Buffer.concat([Buffer.of(tag), u64(rawAmount(info))])
}

function lamportsSent(lamports: unknown): Buffer {
  return Buffer.concat([Buffer.of(2, 0, 0, 0), u64(lamports)])
}

function u64(value: unknown): Buffer {
  const bytes = Buffer.alloc(8)
  const text = String(value)
  if (/^\d{1,20}$/.test(text)) bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(text)))
  return bytes
}

/** Keys are objects: the encoding jsonParsed. */
function isJsonParsed({ transaction }: RpcTransaction): boolean {
  if (!('message' in transaction)) return false
  return transaction.message.accountKeys.some((key: unknown) => typeof key !== 'string')
}

/**
 * Converts a transaction from the encoding jsonParsed to json, as far as decoding reads it. Null if
 * its keys or instructions are malformed. The rest is copied unchecked.
 */
export function toJsonEncoding(transaction: RpcTransaction): RpcTransaction | null {
  const { signatures, message } = transaction.transaction as unknown as {
    signatures: readonly string[]
    message: ParsedMessage
  }
  const groups: unknown = transaction.meta?.innerInstructions ?? []
  const isRead =
    message.accountKeys.every((key: unknown) => isObject(key) && typeof key.pubkey === 'string') &&
    message.instructions.every(isInstruction) &&
    Array.isArray(groups) &&
    groups.every(
      (group: unknown) =>
        isObject(group) &&
        Array.isArray(group.instructions) &&
        group.instructions.every(isInstruction),
    )
  if (!isRead) return null
  const accountKeys = message.accountKeys.map(({ pubkey }) => pubkey)
  const places = new Map(accountKeys.map((key, place) => [key, place]))
  const read = (one: ParsedInstruction) => unparseInstruction(one, places)
  const header = {
    numRequiredSignatures: message.accountKeys.filter(({ signer }) => signer).length,
  }
  const inner = transaction.meta?.innerInstructions?.map(({ index, instructions }) => ({
    index,
    instructions: (instructions as unknown as readonly ParsedInstruction[]).map(read),
  }))
  const meta = transaction.meta as RpcMeta
  return {
    ...transaction,
    // This encoding lists the keys of lookup tables with the others.
    meta: { ...meta, innerInstructions: inner ?? null, loadedAddresses: null },
    transaction: {
      signatures,
      message: { accountKeys, header, instructions: message.instructions.map(read) },
    },
  }
}

function isInstruction(one: unknown): boolean {
  if (!isObject(one)) return false
  const { accounts = [], parsed } = one
  const isKnown = parsed === undefined || typeof parsed === 'string'
  return Array.isArray(accounts) && (isKnown || (isObject(parsed) && isObject(parsed.info)))
}

function isObject(value: unknown): value is Info {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unparseInstruction(
  { programId, accounts = [], data = '', parsed, stackHeight }: ParsedInstruction,
  places: ReadonlyMap<string, number>,
): RpcInstruction {
  const placeOf = (key: unknown) => places.get(String(key)) ?? -1
  const place = { programIdIndex: placeOf(programId), stackHeight: stackHeight ?? null }
  if (parsed === undefined) return { ...place, accounts: accounts.map(placeOf), data }
  const type = typeof parsed === 'object' ? parsed.type : ''
  const write = Object.hasOwn(written, type) ? written[type] : undefined
  if (write === undefined) return { ...place, accounts: [], data: '' }
  const bytes = write((parsed as { info: Info }).info)
  return { ...place, accounts: bytes.accounts.map(placeOf), data: encodeBase58(bytes.data) }
}

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
