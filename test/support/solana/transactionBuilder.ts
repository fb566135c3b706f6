// Transactions written byte by byte: programs, accounts and transfers as a node would tell of them.
import { createHash } from 'node:crypto'
import type {
  RpcInstruction,
  RpcTokenBalance,
  RpcTransaction,
} from '../../../packages/server/src/decode/solana/rpcTransaction.ts'
import { encodeBase58 } from '../../../packages/server/src/lib/base58.ts'

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

/** A key of its own for every word. */
export function keyOf(word: string): string {
  return encodeBase58(createHash('sha256').update(word).digest())
}

/** Numbers of eight bytes, the lowest first. */
export function u64(...values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(value, i * 8)
  return bytes
}

/** Bytes of a length, with parts put at their places. */
export function bytesOf(length: number, parts: Readonly<Record<number, Buffer>>): Buffer {
  const bytes = Buffer.alloc(length)
  for (const [at, part] of Object.entries(parts)) part.copy(bytes, Number(at))
  return bytes
}

export const hex = (text: string) => Buffer.from(text, 'hex')

type Account = { mint: string; owner: string; before: bigint; after: bigint }

export class TransactionBuilder {
  readonly #keys: string[]
  readonly #outer: RpcInstruction[] = []
  readonly #inner: { index: number; instructions: RpcInstruction[] }[] = []
  readonly #logs: string[] = []
  readonly #accounts = new Map<string, Account>()
  #height = 0

  constructor(signer: string) {
    this.#keys = [signer]
  }

  /** A token account that has so much before the transaction. */
  open(account: string, mint: string, owner: string, before: bigint): void {
    this.#accounts.set(account, { mint, owner, before, after: before })
  }

  /** Calls a program; what it calls in turn is done by `body`. */
  call(
    program: string,
    accounts: readonly string[],
    data: Buffer,
    body: () => void = () => {},
  ): void {
    this.#height++
    const instruction = {
      programIdIndex: this.#indexOf(program),
      accounts: accounts.map((account) => this.#indexOf(account)),
      data: encodeBase58(data),
      stackHeight: this.#height,
    }
    if (this.#height === 1) {
      this.#outer.push(instruction)
      this.#inner.push({ index: this.#outer.length - 1, instructions: [] })
    } else this.#inner.at(-1)!.instructions.push(instruction)
    this.#logs.push(`Program ${program} invoke [${this.#height}]`)
    body()
    this.#logs.push(`Program ${program} success`)
    this.#height--
  }

  /** Of the program that runs. */
  log(event: Buffer): void {
    this.#logs.push(`Program data: ${event.toString('base64')}`)
  }

  logText(text: string): void {
    this.#logs.push(`Program log: ${text}`)
  }

  /** The program's call of itself with an event. */
  tell(program: string, event: Buffer): void {
    this.call(
      program,
      [keyOf(`authority of ${program}`)],
      Buffer.concat([hex('e445a52e51cb9a1d'), event]),
    )
  }

  transfer(from: string, to: string, authority: string, amount: bigint): void {
    const [source, target] = [this.#accounts.get(from)!, this.#accounts.get(to)!]
    source.after -= amount
    target.after += amount
    this.call(tokenProgram, [from, to, authority], Buffer.concat([hex('03'), u64(amount)]))
  }

  build(options: { logsMax?: number | undefined } = {}): RpcTransaction {
    const { logsMax = this.#logs.length } = options
    const isCut = logsMax < this.#logs.length
    const logMessages = [...this.#logs.slice(0, logsMax), ...(isCut ? ['Log truncated'] : [])]
    return {
      version: 'legacy',
      transaction: {
        signatures: [keyOf('signature')],
        message: {
          accountKeys: this.#keys,
          header: { numRequiredSignatures: 1 },
          instructions: this.#outer,
        },
      },
      meta: {
        err: null,
        ...{ logMessages, innerInstructions: this.#inner },
        ...{
          preTokenBalances: this.#balances('before'),
          postTokenBalances: this.#balances('after'),
        },
      },
    }
  }

  #balances(moment: 'before' | 'after'): RpcTokenBalance[] {
    return [...this.#accounts].map(([account, known]) => ({
      accountIndex: this.#indexOf(account),
      ...{ mint: known.mint, owner: known.owner },
      uiTokenAmount: { amount: `${known[moment]}` },
    }))
  }

  #indexOf(key: string): number {
    const at = this.#keys.indexOf(key)
    return at >= 0 ? at : this.#keys.push(key) - 1
  }
}
