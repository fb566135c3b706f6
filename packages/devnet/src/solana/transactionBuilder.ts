// Transactions written byte by byte: programs, accounts and transfers in the form of a node's
// answer.
import { createHash } from 'node:crypto'
import { decodeBase58, encodeBase58 } from './base58.ts'
import type { WrittenInstruction, WrittenTokenBalance, WrittenTransaction } from './rpcShapes.ts'

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const ataProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const systemProgram = '11111111111111111111111111111111'

// Most are used in every block, and making one costs as much as the rest of an instruction.
const keysKept = 20_000
const keys = new Map<string, string>()
const keyBytes = new Map<string, Buffer>()

/** A key derived from a word. */
export function keyOf(word: string): string {
  return kept(keys, word, () => encodeBase58(createHash('sha256').update(word).digest()))
}

function kept<value>(map: Map<string, value>, word: string, make: () => value): value {
  const known = map.get(word)
  if (known !== undefined) return known
  if (map.size >= keysKept) map.clear()
  const made = make()
  map.set(word, made)
  return made
}

/** Numbers of eight bytes, little-endian. */
export function u64(...values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(value, i * 8)
  return bytes
}

/** Bytes of a length, with parts at their offsets. */
export function bytesOf(length: number, parts: Readonly<Record<number, Buffer>>): Buffer {
  const bytes = Buffer.alloc(length)
  for (const [at, part] of Object.entries(parts)) part.copy(bytes, Number(at))
  return bytes
}

export const hex = (text: string) => Buffer.from(text, 'hex')

export const keyBytesOf = (key: string) => kept(keyBytes, key, () => decodeBase58(key))

/** `before` is null if the transaction opens the account. */
type Account = { mint: string; owner: string; before: bigint | null; after: bigint }

export type BuildOptions = {
  /** @default all */
  logsMax?: number | undefined
  /** 0: the keys behind those of programs come from a lookup table. @default legacy */
  version?: 'legacy' | 0 | 1 | undefined
  /** @default the same for all */
  signature?: string | undefined
  blockhash?: string | undefined
  /** Of a transaction that failed: nothing but its fee was moved. @default null */
  err?: unknown
}

/** What every transaction costs, in lamports. */
const feeLamports = 5_000

export class TransactionBuilder {
  readonly #keys: string[]
  readonly #outer: WrittenInstruction[] = []
  readonly #inner: { index: number; instructions: WrittenInstruction[] }[] = []
  readonly #logs: string[] = []
  readonly #accounts = new Map<string, Account>()
  readonly #lamports = new Map<string, { before: bigint; after: bigint }>()
  readonly #signerCount: number
  #height = 0

  /** The first signer pays the fee. */
  constructor(...signers: readonly [string, ...string[]]) {
    this.#keys = [...signers]
    this.#signerCount = signers.length
  }

  /** A token account that has so much before the transaction. */
  open(account: string, mint: string, owner: string, before: bigint): void {
    this.#accounts.set(account, { mint, owner, before, after: before })
  }

  has(account: string): boolean {
    return this.#accounts.has(account)
  }

  /** What an address has in lamports before the transaction. */
  hold(address: string, before: bigint): void {
    if (!this.#lamports.has(address)) this.#lamports.set(address, { before, after: before })
  }

  /** A token account that the transaction opens, by the associated-account program. */
  openNew(account: string, mint: string, owner: string, program = tokenProgram): void {
    this.#accounts.set(account, { mint, owner, before: null, after: 0n })
    const accounts = [this.#keys[0]!, account, owner, mint, systemProgram, program]
    this.call(ataProgram, accounts, hex('01'), () => {
      this.call(program, [account, mint], Buffer.concat([hex('12'), keyBytesOf(owner)]))
    })
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

  transfer(
    from: string,
    to: string,
    authority: string,
    amount: bigint,
    program = tokenProgram,
  ): void {
    const [source, target] = [this.#accounts.get(from)!, this.#accounts.get(to)!]
    source.after -= amount
    target.after += amount
    this.call(program, [from, to, authority], Buffer.concat([hex('03'), u64(amount)]))
  }

  mint(mint: string, to: string, authority: string, amount: bigint, program = tokenProgram): void {
    this.#accounts.get(to)!.after += amount
    this.call(program, [mint, to, authority], Buffer.concat([hex('07'), u64(amount)]))
  }

  /** Lamports become wrapped ones in the same account, which the token program is told to count. */
  wrap(account: string, lamports: bigint): void {
    this.#accounts.get(account)!.after += lamports
    this.call(tokenProgram, [account], hex('11'))
  }

  /** Lamports sent by the system program. */
  pay(from: string, to: string, lamports: bigint): void {
    this.shift(from, to, lamports)
    this.call(systemProgram, [from, to], Buffer.concat([hex('02000000'), u64(lamports)]))
  }

  /** Lamports that a program moves out of an account of its own, without a word. */
  shift(from: string, to: string, lamports: bigint): void {
    for (const [address, change] of [
      [from, -lamports],
      [to, lamports],
    ] as const) {
      this.hold(address, 0n)
      this.#lamports.get(address)!.after += change
      this.#indexOf(address)
    }
  }

  /** What accounts have afterwards. */
  after(): { accounts: ReadonlyMap<string, Account>; lamports: Map<string, bigint> } {
    const lamports = new Map(Array.from(this.#lamports, ([key, { after }]) => [key, after]))
    const payer = this.#keys[0]!
    const has = lamports.get(payer)
    if (has !== undefined) lamports.set(payer, has - BigInt(feeLamports))
    return { accounts: this.#accounts, lamports }
  }

  build(options: BuildOptions = {}): WrittenTransaction {
    const { logsMax = this.#logs.length, version = 'legacy', err = null } = options
    const isCut = logsMax < this.#logs.length
    const logMessages = [...this.#logs.slice(0, logsMax), ...(isCut ? ['Log truncated'] : [])]
    const isFailed = err !== null
    // Accounts of token balances are keys too.
    const preTokenBalances = this.#balances('before')
    const postTokenBalances = isFailed ? preTokenBalances : this.#balances('after')
    const keys = this.#keys
    const programs = this.#outer.map(({ programIdIndex }) => programIdIndex)
    const ownKeys = version === 0 ? Math.max(0, ...programs) + 1 : keys.length
    const looked = keys.slice(ownKeys)
    const cosigners = keys.slice(1, this.#signerCount)
    return {
      version,
      transaction: {
        signatures: [options.signature ?? keyOf('signature'), ...cosigners.map(keyOf)],
        message: {
          accountKeys: keys.slice(0, ownKeys),
          header: { numRequiredSignatures: this.#signerCount },
          instructions: this.#outer,
          recentBlockhash: options.blockhash ?? keyOf('recent'),
          ...(version === 0 && { addressTableLookups: [lookupOf(looked.length)] }),
          ...(version === 1 && { transactionConfig: { computeUnitLimit: 200_000 } }),
        },
      },
      meta: {
        err,
        fee: feeLamports,
        status: isFailed ? { Err: err } : { Ok: null },
        logMessages,
        innerInstructions: this.#inner,
        preTokenBalances,
        postTokenBalances,
        ...this.#lamportsOf(isFailed),
        loadedAddresses: { writable: looked, readonly: [] },
      },
    }
  }

  #lamportsOf(isFailed: boolean): { preBalances: number[]; postBalances: number[] } {
    const numbersOf = (moment: 'before' | 'after') =>
      this.#keys.map((key) => Number(this.#lamports.get(key)?.[moment] ?? 1_000_000n))
    const preBalances = numbersOf('before')
    const postBalances = isFailed ? [...preBalances] : numbersOf('after')
    postBalances[0]! -= feeLamports
    return { preBalances, postBalances }
  }

  #balances(moment: 'before' | 'after'): WrittenTokenBalance[] {
    return [...this.#accounts].flatMap(([account, known]) => {
      const amount = known[moment]
      if (amount === null) return []
      return {
        accountIndex: this.#indexOf(account),
        mint: known.mint,
        owner: known.owner,
        uiTokenAmount: { amount: `${amount}` },
      }
    })
  }

  #indexOf(key: string): number {
    const at = this.#keys.indexOf(key)
    return at >= 0 ? at : this.#keys.push(key) - 1
  }
}

function lookupOf(count: number) {
  const writableIndexes = Array.from({ length: count }, (_, at) => at)
  return { accountKey: keyOf('lookup table'), writableIndexes, readonlyIndexes: [] }
}
