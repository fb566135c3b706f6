import { decodeBase58 } from '../../../lib/bytes/base58.ts'
import type { SolanaInstruction } from '../../../model/solana/solanaTransaction.ts'

const noBytes = Buffer.alloc(0)
const base58CharsPerByteMax = 1.4

/** An instruction with its place in the call tree: its caller, and the end of its own calls. */
export class Call {
  /** Position in the order in which the transaction's instructions ran. */
  readonly index: number
  /** Id of the program. */
  readonly program: string
  /** Indexes in the transaction's keys. */
  readonly accounts: readonly number[]
  /** 1 for outer instructions. */
  height: number
  /** Instructions after this one and before `end` were called by it. */
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

  /** Empty if the node sent something other than base58. */
  get data(): Buffer {
    if (this.#data === null)
      this.#data = typeof this.#raw === 'string' ? (decodeBase58(this.#raw) ?? noBytes) : this.#raw
    return this.#data
  }

  /**
   * True if the data is surely longer, judged by the length of its text alone: a byte takes at most
   * 1.37 characters.
   */
  isLongerThan(bytes: number): boolean {
    if (typeof this.#raw !== 'string') return this.#raw.length > bytes
    return this.#raw.length > bytes * base58CharsPerByteMax
  }

  /** Key index of its nth account, counted from the end if negative; -1 if it has none. */
  account(nth: number): number {
    return this.accounts[nth < 0 ? this.accounts.length + nth : nth] ?? -1
  }
}

/** Sets the end of each call, once the heights are known. */
export function setCallEnds(calls: readonly Call[]): void {
  const open: Call[] = []
  for (const call of calls) {
    while (open.length > 0 && open.at(-1)!.height >= call.height) open.pop()!.end = call.index
    open.push(call)
  }
  for (const call of open) call.end = calls.length
}

/** The first bytes of a call's data in hex, as in the tables of venues. */
export function dataTagOf({ data }: Call, bytes: number): string {
  return data.toString('hex', 0, bytes)
}
