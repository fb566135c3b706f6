import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { encodeKey, encodeSignature } from '../../lib/bytes/encodeKey.ts'
import type { KeySet } from '../../lib/bytes/keySet.ts'
import type {
  RpcInstruction,
  RpcMeta,
  RpcTransaction,
  RpcWire,
} from '../../model/solana/rpcTransaction.ts'
import type {
  AccountKeys,
  SolanaInstruction,
  SolanaTokenAccount,
  SolanaTransaction,
} from '../../model/solana/solanaTransaction.ts'
import {
  keyBytes,
  mayNameKey,
  readWireHead,
  readWireInstructions,
  type WireKeys,
} from './readWireMessage.ts'

/** Keys of which a transaction must name at least one, as text and as bytes. */
export type RelevantKeys = {
  keys: Pick<ReadonlySet<string>, 'has'>
  bytes: KeySet
}

/**
 * Reads a transaction of a node's answer. Null if it failed, has no metadata, names none of the
 * keys, or is malformed.
 */
export function readRpcTransaction(
  { meta, transaction }: RpcTransaction,
  wanted: RelevantKeys,
): SolanaTransaction | null {
  // A failed transaction moved only its fee.
  if (meta === null || meta === undefined || (meta.err !== null && meta.err !== undefined))
    return null
  const signed = readSigned(transaction, meta, wanted)
  if (signed === null) return null
  const { signature, signerCount, keys } = signed
  const instructions = withInner(signed.instructions, meta)
  if (!areKeysComplete(instructions, keys.length)) return null
  return {
    signature,
    keys,
    signerCount,
    instructions,
    tokenAccounts: readTokenAccounts(meta),
    lamportsBefore: meta.preBalances ?? [],
    lamportsAfter: meta.postBalances ?? [],
    logs: meta.logMessages ?? null,
  }
}

type Signed = Pick<SolanaTransaction, 'signature' | 'keys' | 'signerCount' | 'instructions'>

/**
 * Includes the keys of lookup tables. Null if none of the keys is wanted or the transaction is
 * malformed.
 */
function readSigned(
  transaction: RpcTransaction['transaction'],
  meta: RpcMeta,
  wanted: RelevantKeys,
): Signed | null {
  if (!('message' in transaction)) return readBytes(transaction, meta, wanted)
  const { signatures, message } = transaction
  const keys = withLoaded(message.accountKeys, meta)
  if (!keys.some((key) => wanted.keys.has(key))) return null
  return {
    signature: signatures[0] ?? '',
    keys,
    signerCount: message.header?.numRequiredSignatures ?? signatures.length,
    instructions: message.instructions.map((instruction) => readInstruction(instruction, 1)),
  }
}

/** Skips decoding for transactions without a wanted key, such as votes. */
function readBytes([text, encoding]: RpcWire, meta: RpcMeta, wanted: RelevantKeys): Signed | null {
  const loaded = withLoaded([], meta)
  const isLoaded = loaded.some((key) => wanted.keys.has(key))
  const isBase58 = encoding === 'base58'
  if (!isLoaded && !isBase58 && !mayNameKey(text, wanted.bytes)) return null
  const bytes = isBase58 ? decodeBase58(text) : Buffer.from(text, 'base64')
  const head = bytes && readWireHead(bytes)
  if (bytes === null || head === null) return null
  const { keys, signerCount, signatureAt } = head
  if (!isLoaded && !wanted.bytes.hasOneOf(bytes, keys.at, keys.count)) return null
  const instructions = readWireInstructions(head)
  if (instructions === null) return null
  const signature = encodeSignature(bytes, signatureAt)
  return { signature, keys: new WireKeyList(keys, loaded), signerCount, instructions }
}

function withLoaded(keys: readonly string[], { loadedAddresses }: RpcMeta): readonly string[] {
  if (!loadedAddresses) return keys
  const { writable, readonly } = loadedAddresses
  return writable.length + readonly.length === 0 ? keys : [...keys, ...writable, ...readonly]
}

/** Nodes without the resolved lookup tables leave out accounts, so a pool may be missing. */
function areKeysComplete(instructions: readonly SolanaInstruction[], count: number): boolean {
  for (const { program, accounts } of instructions) {
    if (program >= count) return false
    for (const account of accounts) if (account >= count) return false
  }
  return true
}

/** Each outer instruction followed by its inner ones. */
function withInner(
  outer: readonly SolanaInstruction[],
  { innerInstructions }: RpcMeta,
): readonly SolanaInstruction[] {
  if (!innerInstructions || innerInstructions.length === 0) return outer
  const all: SolanaInstruction[] = []
  for (const [index, instruction] of outer.entries()) {
    all.push(instruction)
    for (const inner of innerInstructions)
      if (inner.index === index)
        for (const called of inner.instructions)
          all.push(readInstruction(called, called.stackHeight ?? null))
  }
  return all
}

function readInstruction(
  { programIdIndex, accounts, data }: RpcInstruction,
  height: number | null,
): SolanaInstruction {
  return { program: programIdIndex, accounts, data, height }
}

function readTokenAccounts({ preTokenBalances, postTokenBalances }: RpcMeta) {
  const accounts = new Map<number, SolanaTokenAccount>()
  for (const { accountIndex, mint, owner, uiTokenAmount } of preTokenBalances ?? []) {
    const before = BigInt(uiTokenAmount.amount)
    accounts.set(accountIndex, { mint, owner: owner ?? null, before, after: null })
  }
  for (const { accountIndex, mint, owner, uiTokenAmount } of postTokenBalances ?? []) {
    const after = BigInt(uiTokenAmount.amount)
    const known = accounts.get(accountIndex)
    if (known !== undefined && known.mint === mint) known.after = after
    else accounts.set(accountIndex, { mint, owner: owner ?? null, before: null, after })
  }
  return accounts
}

/**
 * A transaction's own keys, then those of lookup tables, as text on demand: writing all of them
 * costs more than the rest of decoding.
 */
class WireKeyList implements AccountKeys {
  readonly length: number
  readonly #own: WireKeys
  readonly #loaded: readonly string[]

  constructor(own: WireKeys, loaded: readonly string[]) {
    this.#own = own
    this.#loaded = loaded
    this.length = own.count + loaded.length
  }

  at(index: number): string | undefined {
    const { bytes, at, count } = this.#own
    if (index >= count) return this.#loaded[index - count]
    return index < 0 ? undefined : encodeKey(bytes, at + index * keyBytes)
  }

  indexOf(key: string): number {
    for (let index = 0; index < this.length; index++) if (this.at(index) === key) return index
    return -1
  }
}
