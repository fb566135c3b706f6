import { decodeBase58 } from '../../../lib/bytes/base58.ts'
import type { SolanaInstruction } from '../../../model/solana/solanaTransaction.ts'

const noBytes = Buffer.alloc(0)
const base58CharsPerByteMax = 1.4

/** An instruction in its place: what called it, and where those that it called end. */
export class Call {
  /** Its place in the order in which the transaction's instructions ran. */
  readonly index: number
  /** Id of the program. */
  readonly program: string
  /** Indexes in the transaction's keys. */
  readonly accounts: readonly number[]
  /** 1: the transaction's own. */
  height: number
  /** The instructions after this one and before `end` are those that it led to. */
  end: number
  readonly #raw: string | Buffer
  #data: Buffer | null = null

  constructor(
    index: number,
    program: string,
    { accounts, data, height }: Omit<SolanaInstruction, 'program'>,
  ) {
    this.index = index
    this.program = program
    this.accounts = accounts
    this.height = height ?? 0
    this.end = index + 1
    this.#raw = data
  }

  /** Empty where the node wrote something else than base58. */
  get data(): Buffer {
    if (this.#data === null)
      this.#data = typeof this.#raw === 'string' ? (decodeBase58(this.#raw) ?? noBytes) : this.#raw
    return this.#data
  }

  /** Surely: by the length of its text, which is not read for it. A byte takes at most 1.37 letters. */
  isLongerThan(bytes: number): boolean {
    if (typeof this.#raw !== 'string') return this.#raw.length > bytes
    return this.#raw.length > bytes * base58CharsPerByteMax
  }

  /** Index in keys of its nth account, counted from the end where negative; -1: it has none. */
  account(nth: number): number {
    return this.accounts[nth < 0 ? this.accounts.length + nth : nth] ?? -1
  }
}

/** Sets where each call ends, once their heights are known. */
export function closeCalls(calls: readonly Call[]): void {
  const open: Call[] = []
  for (const call of calls) {
    while (open.length > 0 && open.at(-1)!.height >= call.height) open.pop()!.end = call.index
    open.push(call)
  }
  for (const call of open) call.end = calls.length
}

/** The first bytes of a call's data, as the tables of venues have them. */
export function tagOf({ data }: Call, bytes: number): string {
  return data.toString('hex', 0, bytes)
}
