import type { RecordReader } from '../records/recordReader.ts'
import { AddressFilter } from './addressFilter.ts'

export type ConcentratedPoolsOptions = {
  /** Reads the store; throws only when it gave up. */
  list: RecordReader['listPairs']
  filterBytes: number
}

const pageSize = 10_000
// About 10 MB; then they are made again.
const answersMax = 65_536

/**
 * Which addresses may be concentrated pools: all that are, and by chance a few others. Every token transfer is asked
 * about, so this is memory only; what seems to be one is then looked up.
 */
export class ConcentratedPools {
  readonly #options: ConcentratedPoolsOptions
  readonly #filter: AddressFilter
  /** Answers so far: nearly every transfer names wallets that were asked about before. Only ever grows stale by `add`. */
  #answers = new Map<string, boolean>()
  /** The last one taken from the store; null when all are. */
  #filledId: number | null = -1

  constructor(options: ConcentratedPoolsOptions) {
    this.#options = options
    this.#filter = new AddressFilter(options.filterBytes)
  }

  /** Takes the pools of earlier runs from the store, once. Goes on where it stopped when it threw. */
  async fill(): Promise<void> {
    while (this.#filledId !== null) {
      const list = { kind: 'concentrated', afterId: this.#filledId, limit: pageSize } as const
      const pools = await this.#options.list(list)
      for (const { address } of pools) this.add(address)
      this.#filledId = pools.length < pageSize ? null : pools.at(-1)!.id
    }
  }

  /** A revert need not take it away again: it is only looked up for nothing then. */
  add(address: string): void {
    this.#filter.add(address)
    // Of other addresses an old answer stays right: they are no pools.
    this.#answers.delete(address)
  }

  mayHave(address: string): boolean {
    const known = this.#answers.get(address)
    if (known !== undefined) return known
    const answer = this.#filter.has(address)
    if (this.#answers.size >= answersMax) this.#answers = new Map()
    this.#answers.set(address, answer)
    return answer
  }
}
