import type { BlockRef } from '../model/block.ts'
import type { Clock } from './clock.ts'

export type NotPoolsOptions = {
  /** Contracts remembered; the least recently seen is forgotten first. */
  countMax: number
  /** How long one is left alone before it is asked again. */
  validMs: number
  clock: Clock
}

/** Where events of a contract were first left out, because it was found to be no pool. */
export type FirstLeftOut = Pick<BlockRef, 'number' | 'hash' | 'parentHash'>

type Verdict = { since: FirstLeftOut; untilMs: number }

/**
 * Contracts that speak like pools and do not answer like one. None of them for good: a node may have been wrong, and a
 * contract may become a pool.
 */
export class NotPools {
  readonly #options: NotPoolsOptions
  /** Least recently seen first. */
  readonly #verdicts = new Map<string, Verdict>()

  constructor(options: NotPoolsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#verdicts.size
  }

  /** It was asked not long ago. */
  has(address: string): boolean {
    const verdict = this.#verdicts.get(address)
    if (verdict === undefined) return false
    this.#verdicts.delete(address)
    this.#verdicts.set(address, verdict)
    return verdict.untilMs > this.#options.clock.nowMs()
  }

  /** Undefined: nothing was left out, as far as is remembered. */
  firstLeftOut(address: string): FirstLeftOut | undefined {
    return this.#verdicts.get(address)?.since
  }

  /** By the block that their events were first left out of, oldest first: those after one block and before another. */
  leftOutBetween(after: number, before: number): { since: FirstLeftOut; addresses: string[] }[] {
    const byHash = new Map<string, { since: FirstLeftOut; addresses: string[] }>()
    for (const [address, { since }] of this.#verdicts) {
      if (since.number <= after || since.number >= before) continue
      const block = byHash.get(since.hash)
      if (block === undefined) byHash.set(since.hash, { since, addresses: [address] })
      else block.addresses.push(address)
    }
    return [...byHash.values()].sort((a, b) => a.since.number - b.since.number)
  }

  /** It answered that it is none; `ref` is the block in hand. */
  add(address: string, { number, hash, parentHash }: BlockRef): void {
    const { countMax, validMs, clock } = this.#options
    const since = this.firstLeftOut(address) ?? { number, hash, parentHash }
    this.#verdicts.delete(address)
    this.#verdicts.set(address, { since, untilMs: clock.nowMs() + validMs })
    if (this.#verdicts.size > countMax) this.#verdicts.delete(this.#verdicts.keys().next().value!)
  }

  /** It is one, whatever it was found to be. */
  delete(address: string): void {
    this.#verdicts.delete(address)
  }

  /** A block is reverted: what was first left out of it never was. */
  revert(number: number, addresses: readonly string[]): void {
    for (const address of addresses) {
      const since = this.firstLeftOut(address)
      if (since !== undefined && since.number >= number) this.#verdicts.delete(address)
    }
  }
}
