import { AddressFilter } from './addressFilter.ts'
import type { RecordReader } from './recordReader.ts'

export type ConcentratedPoolsOptions = {
  /** Reads the store; throws only when it gave up. */
  list: RecordReader['listPairs']
  filterBytes: number
}

const pageSize = 10_000

/**
 * Which addresses may be concentrated pools: all that are, and by chance a few others. Every token transfer is asked
 * about, so this is memory only; what seems to be one is then looked up.
 */
export class ConcentratedPools {
  readonly #options: ConcentratedPoolsOptions
  readonly #filter: AddressFilter
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
      for (const { address } of pools) this.#filter.add(address)
      this.#filledId = pools.length < pageSize ? null : pools.at(-1)!.id
    }
  }

  /** A revert need not take it away again: it is only looked up for nothing then. */
  add(address: string): void {
    this.#filter.add(address)
  }

  mayHave(address: string): boolean {
    return this.#filter.has(address)
  }
}
