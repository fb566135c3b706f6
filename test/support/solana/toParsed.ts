// Converts a transaction to encoding jsonParsed, as Agave's parsers of the token and system
// programs do: known instructions become named fields, the others keep their data, with addresses
// instead of indexes.
import { decodeBase58 } from '../../../packages/server/src/lib/bytes/base58.ts'
import type { RpcInstruction } from '../../../packages/server/src/model/solana/rpcTransaction.ts'
import type { RecordedTransaction } from './recorded.ts'

const tokenPrograms: Readonly<Record<string, string>> = {
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'spl-token',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'spl-token',
}
const systemProgram = '11111111111111111111111111111111'
const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

type Words = { type: string; info: object } | string | null

export function toParsed(transaction: RecordedTransaction): object {
  const { message, signatures } = transaction.transaction
  const meta = transaction.meta!
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  const keys = [...message.accountKeys, ...writable, ...readonly]
  const accountKeys = keys.map((pubkey, at) => ({
    pubkey,
    signer: at < message.header!.numRequiredSignatures,
    source: at < message.accountKeys.length ? 'transaction' : 'lookupTable',
    writable: true,
  }))
  const say = (one: RpcInstruction) => sayInstruction(one, keys)
  const innerInstructions = (meta.innerInstructions ?? []).map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(say),
  }))
  const { loadedAddresses: _, ...told } = meta
  return {
    ...transaction,
    meta: { ...told, innerInstructions },
    transaction: {
      signatures,
      message: { accountKeys, instructions: message.instructions.map(say), recentBlockhash: '1' },
    },
  }
}

function sayInstruction(instruction: RpcInstruction, keys: readonly string[]): object {
  const { programIdIndex, accounts, data, stackHeight = null } = instruction
  const programId = keys[programIdIndex]!
  const names = accounts.map((account) => keys[account]!)
  const parsed = wordsOf(programId, names, decodeBase58(data as string)!)
  if (parsed === null) return { programId, accounts: names, data, stackHeight }
  return { program: tokenPrograms[programId] ?? 'system', programId, parsed, stackHeight }
}

function wordsOf(programId: string, names: readonly string[], data: Buffer): Words {
  if (programId === memoProgram) return data.toString()
  if (programId === systemProgram) return systemWords(names, data)
  return programId in tokenPrograms ? tokenWords(names, data) : null
}

function systemWords([source, destination]: readonly string[], data: Buffer): Words {
  if (data.readUInt32LE(0) !== 2) return { type: 'createAccount', info: { source } }
  const lamports = Number(data.readBigUInt64LE(4))
  return { type: 'transfer', info: { source, destination, lamports } }
}

function tokenWords([first, second, third, fourth]: readonly string[], data: Buffer): Words {
  const amount = (at: number) => `${data.readBigUInt64LE(at)}`
  const shown = (at: number) => ({ amount: amount(at), decimals: 6, uiAmountString: '0' })
  switch (data[0]) {
    case 1:
    case 16:
    case 18:
      return {
        type: { 1: 'initializeAccount', 16: 'initializeAccount2', 18: 'initializeAccount3' }[
          data[0]
        ]!,
        info: { account: first, mint: second },
      }
    case 3:
      return {
        type: 'transfer',
        info: { source: first, destination: second, authority: third, amount: amount(1) },
      }
    case 7:
      return { type: 'mintTo', info: { mint: first, account: second, amount: amount(1) } }
    case 8:
      return { type: 'burn', info: { account: first, mint: second, amount: amount(1) } }
    case 12:
      return {
        type: 'transferChecked',
        info: {
          source: first,
          mint: second,
          destination: third,
          multisigAuthority: fourth,
          tokenAmount: shown(1),
        },
      }
    case 14:
      return {
        type: 'mintToChecked',
        info: { mint: first, account: second, tokenAmount: shown(1) },
      }
    case 15:
      return { type: 'burnChecked', info: { account: first, mint: second, tokenAmount: shown(1) } }
    case 26:
      if (data[1] !== 1) return { type: 'other', info: { account: first } }
      return {
        type: 'transferCheckedWithFee',
        info: {
          source: first,
          mint: second,
          destination: third,
          authority: fourth,
          tokenAmount: shown(2),
          feeAmount: shown(11),
        },
      }
    default:
      return { type: 'other', info: { account: first } }
  }
}
