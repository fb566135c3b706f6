// The real token programs, run in this process by LiteSVM. Transactions are returned as a node
// reports them.
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm'
import type {
  WrittenInstruction,
  WrittenMessage,
  WrittenTokenBalance,
  WrittenTransaction,
} from '../../../packages/devnet/src/solana/rpcShapes.ts'
import { toWire } from '../../../packages/devnet/src/solana/toWire.ts'
import { keyOf } from '../../../packages/devnet/src/solana/transactionBuilder.ts'
import { decodeBase58, encodeBase58 } from '../../../packages/server/src/lib/bytes/base58.ts'
import { readTokenAccount, type TokenAccount } from './tokenAccount.ts'
import type { LiteInstruction } from './tokenInstructions.ts'

type Address = Parameters<LiteSVM['getAccount']>[0]
type Sent = Parameters<LiteSVM['sendTransaction']>[0]

const feeLamports = 5_000
const airdropLamports = 10n ** 12n

export type LiteChain = {
  /** Runs instructions as one transaction, paid by the first signer; throws if it fails. */
  run(instructions: readonly LiteInstruction[]): WrittenTransaction
  /** The answer of simulateTransaction for these instructions, without changing state. */
  simulate(instructions: readonly LiteInstruction[]): { value: { err: unknown; logs: string[] } }
  /** Token accounts after these instructions by address, without changing state. */
  accountsAfter(instructions: readonly LiteInstruction[]): ReadonlyMap<string, TokenAccount>
  /** Null if the account does not exist or is not a token account. */
  tokenAccount(address: string): TokenAccount | null
  rent(bytes: number): bigint
  airdrop(address: string): void
}

export function createLiteChain(): LiteChain {
  const svm = new LiteSVM().withSigverify(false).withBlockhashCheck(false)
  let count = 0

  const accountAt = (key: string) => {
    const account = svm.getAccount(key as Address)
    if (!account.exists) return { lamports: 0, token: null }
    const { programAddress, data, lamports } = account
    return {
      lamports: Number(lamports),
      token: readTokenAccount(programAddress, Buffer.from(data)),
    }
  }
  const written = (instructions: readonly LiteInstruction[]) => {
    const message = messageOf(instructions)
    // A counter makes every transaction's signature unique.
    const signatures = [encodeBase58(Buffer.concat([numbered(++count), Buffer.alloc(56, 1)]))]
    while (signatures.length < message.header.numRequiredSignatures)
      signatures.push(encodeBase58(Buffer.alloc(64, 2)))
    return { version: 'legacy' as const, transaction: { signatures, message } }
  }

  return {
    run(instructions) {
      const signed = written(instructions)
      const { accountKeys } = signed.transaction.message
      const before = accountKeys.map(accountAt)
      const outcome = svm.sendTransaction(sentOf(signed))
      if (outcome instanceof FailedTransactionMetadata)
        throw new Error(`${outcome.err()} ${outcome.meta().logs().join('\n')}`)
      const after = accountKeys.map(accountAt)
      return {
        ...signed,
        meta: {
          err: null,
          fee: feeLamports,
          status: { Ok: null },
          innerInstructions: innerOf(outcome),
          logMessages: outcome.logs(),
          preBalances: before.map(({ lamports }) => lamports),
          postBalances: after.map(({ lamports }) => lamports),
          preTokenBalances: balancesOf(before.map(({ token }) => token)),
          postTokenBalances: balancesOf(after.map(({ token }) => token)),
          loadedAddresses: { writable: [], readonly: [] },
        },
      }
    },
    simulate(instructions) {
      const outcome = svm.simulateTransaction(sentOf(written(instructions)))
      const isFailed = outcome instanceof FailedTransactionMetadata
      return { value: { err: isFailed ? `${outcome.err()}` : null, logs: outcome.meta().logs() } }
    },
    accountsAfter(instructions) {
      const outcome = svm.simulateTransaction(sentOf(written(instructions)))
      if (outcome instanceof FailedTransactionMetadata) throw new Error(`${outcome.err()}`)
      const accounts = new Map<string, TokenAccount>()
      for (const { address, programAddress, data } of outcome.postAccounts()) {
        const token = readTokenAccount(programAddress, Buffer.from(data))
        if (token !== null) accounts.set(address, token)
      }
      return accounts
    },
    tokenAccount: (address) => accountAt(address).token,
    rent: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    airdrop(address) {
      svm.airdrop(address as Address, airdropLamports as never)
    },
  }
}

/** Orders accounts: payer, other signers, accounts, and programs last. */
function messageOf(instructions: readonly LiteInstruction[]): WrittenMessage {
  const signers = new Set(instructions.flatMap(({ signers }) => signers))
  const programs = new Set(instructions.flatMap(({ program, programs }) => [program, ...programs]))
  const named = new Set(instructions.flatMap(({ accounts }) => accounts))
  const others = [...named].filter((key) => !signers.has(key) && !programs.has(key))
  const accountKeys = [...signers, ...others, ...programs]
  const indexOf = (key: string) => accountKeys.indexOf(key)
  return {
    accountKeys,
    header: {
      numRequiredSignatures: signers.size,
      numReadonlySignedAccounts: 0,
      numReadonlyUnsignedAccounts: programs.size,
    },
    recentBlockhash: keyOf('recent'),
    instructions: instructions.map(({ program, accounts, data }) => ({
      programIdIndex: indexOf(program),
      accounts: accounts.map(indexOf),
      data: encodeBase58(data),
    })),
  }
}

function sentOf(signed: Pick<WrittenTransaction, 'version' | 'transaction'>): Sent {
  const { signatures, message } = signed.transaction
  const bytes = Buffer.from(toWire(signed)[0], 'base64')
  const bySigner = signatures.map((text, i) => [message.accountKeys[i]!, decodeBase58(text)!])
  const messageBytes = bytes.subarray(1 + 64 * signatures.length)
  return { messageBytes, signatures: Object.fromEntries(bySigner) } as unknown as Sent
}

function innerOf(outcome: TransactionMetadata) {
  return outcome.innerInstructions().map((called, index) => ({
    index,
    instructions: called.map((inner): WrittenInstruction => {
      const instruction = inner.instruction()
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: encodeBase58(Buffer.from(instruction.data())),
        stackHeight: inner.stackHeight(),
      }
    }),
  }))
}

function balancesOf(accounts: readonly (TokenAccount | null)[]): WrittenTokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    if (account === null) return []
    const { mint, owner, amount } = account
    return [{ accountIndex, mint, owner, uiTokenAmount: { amount: `${amount}` } }]
  })
}

function numbered(count: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(count))
  return bytes
}
