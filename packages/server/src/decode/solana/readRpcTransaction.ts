import { decodeBase58 } from '../../lib/base58.ts'
import type { RpcInstruction, RpcMeta, RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import type {
  SolanaInstruction,
  SolanaTokenAccount,
  SolanaTransaction,
} from '../../model/solana/solanaTransaction.ts'
import { readWireTransaction, type WireTransaction } from './readWireMessage.ts'

/**
 * A transaction as a node tells it. Null: it failed, the node did not keep what it did, none of its keys is wanted, or
 * it cannot be read.
 */
export function readRpcTransaction(
  { meta, transaction }: RpcTransaction,
  isWanted: (key: string) => boolean,
): SolanaTransaction | null {
  // A failed transaction keeps what it tried, and moved nothing but its fee.
  if (meta === null || meta === undefined || (meta.err !== null && meta.err !== undefined))
    return null
  const signed = readSigned(transaction)
  if (signed === null) return null
  const { signature, signerCount } = signed
  const keys = withLoaded(signed.keys, meta)
  if (!keys.some(isWanted)) return null
  return {
    signature,
    keys,
    signerCount,
    instructions: withInner(signed.instructions, meta),
    tokenAccounts: readTokenAccounts(meta),
    lamportsBefore: meta.preBalances ?? [],
    lamportsAfter: meta.postBalances ?? [],
    logs: meta.logMessages ?? null,
  }
}

type Signed = Omit<WireTransaction, 'keys'> & { keys: readonly string[] }

function readSigned(transaction: RpcTransaction['transaction']): Signed | null {
  if (!('message' in transaction)) return readBytes(transaction[0], transaction[1])
  const { signatures, message } = transaction
  return {
    signature: signatures[0] ?? '',
    keys: message.accountKeys,
    signerCount: message.header?.numRequiredSignatures ?? signatures.length,
    instructions: message.instructions.map((instruction) => readInstruction(instruction, 1)),
  }
}

function readBytes(text: string, encoding: string): WireTransaction | null {
  const bytes = encoding === 'base58' ? decodeBase58(text) : Buffer.from(text, 'base64')
  return bytes && readWireTransaction(bytes)
}

function withLoaded(keys: readonly string[], { loadedAddresses }: RpcMeta): readonly string[] {
  if (!loadedAddresses) return keys
  const { writable, readonly } = loadedAddresses
  return writable.length + readonly.length === 0 ? keys : [...keys, ...writable, ...readonly]
}

/** Each of the transaction's own instructions, followed by those it led to. */
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
