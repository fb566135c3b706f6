import { type BlockRef, byNumber } from '../../model/block.ts'
import type { FirstLeftOut, LeftOutChanges, LeftOutContract } from '../../model/trust/leftOut.ts'
import type { Clock } from '../clock.ts'

export type NotPoolsOptions = {
  /** Contracts remembered. */
  countMax: number
  /** How long one is left alone before it is asked again; twice as long each time that it says the same. */
  validMs: number
  /** Never longer than this. */
  validMsMax: number
  clock: Clock
  /** Of an earlier run: they are asked again at once. */
  known?: readonly LeftOutContract[] | undefined
}

type Verdict = { since: FirstLeftOut; untilMs: number; level: number }

// Asked as often as this, over an hour and more: whoever was wrong about it would not be so all that time.
const settledLevel = 3

/**
 * Contracts that speak like pools and do not answer like one. None of them for good: a node may have been wrong, and a
 * contract may become a pool.
 */
export class NotPools {
  readonly #options: NotPoolsOptions
  readonly #verdicts = new Map<string, Verdict>()
  /** By how often they were asked; all of one are left alone for the same time, so that the first is due first. */
  readonly #levels: Set<string>[] = []
  readonly #missed = new Set<string>()
  readonly #cleared = new Set<string>()
  #forgotten: { address: string; isSettled: boolean }[] = []
  #leftOut: readonly string[] = []

  constructor(options: NotPoolsOptions) {
    this.#options = options
    for (let ms = options.validMs; ; ms *= 2) {
      this.#levels.push(new Set())
      if (ms >= options.validMsMax) break
    }
    for (const { address, since } of options.known ?? []) this.#set(address, since, 0, 0)
  }

  get size(): number {
    return this.#verdicts.size
  }

  /** It was asked not long ago. */
  has(address: string): boolean {
    const verdict = this.#verdicts.get(address)
    return verdict !== undefined && verdict.untilMs > this.#options.clock.nowMs()
  }

  /** Undefined: nothing was left out, as far as is remembered. */
  firstLeftOut(address: string): FirstLeftOut | undefined {
    return this.#verdicts.get(address)?.since
  }

  /** Those that were left alone long enough. */
  due(countMax: number): string[] {
    const nowMs = this.#options.clock.nowMs()
    const due: string[] = []
    for (const level of this.#levels)
      for (const address of level) {
        if (due.length >= countMax) return due
        if (this.#verdicts.get(address)!.untilMs > nowMs) break
        due.push(address)
      }
    return due
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
    return [...byHash.values()].sort((a, b) => byNumber(a.since, b.since))
  }

  /** It answered that it is none; `ref` is the block in hand. */
  add(address: string, { number, hash, parentNumber, parentHash }: BlockRef): void {
    if (this.#verdicts.has(address)) this.confirm(address)
    else this.#judge(address, { number, hash, parentNumber, parentHash }, 0)
    if (this.#verdicts.size > this.#options.countMax) this.#forgetOne()
  }

  /** It answered the same again; to two who ask at once it says it once. */
  confirm(address: string): void {
    const verdict = this.#verdicts.get(address)
    if (verdict === undefined || this.has(address)) return
    this.#remove(address)
    this.#judge(address, verdict.since, Math.min(verdict.level + 1, this.#levels.length - 1))
  }

  /** It is one, whatever it was found to be. `isMissed`: what was left out is not to be had again. */
  delete(address: string, isMissed = false): void {
    if (!this.#remove(address)) return
    if (isMissed) this.#missed.add(address)
    else this.#cleared.add(address)
  }

  /** The block in hand is without their events. */
  leaveOut(addresses: readonly string[]): void {
    this.#leftOut = addresses
  }

  /** What has changed since the last call. Null: nothing. */
  takeChanges(): LeftOutChanges | null {
    const [missed, cleared] = [[...this.#missed], [...this.#cleared]]
    const [forgotten, leftOut] = [this.#forgotten, this.#leftOut]
    if (missed.length + cleared.length + forgotten.length + leftOut.length === 0) return null
    this.#missed.clear()
    this.#cleared.clear()
    this.#forgotten = []
    this.#leftOut = []
    return { missed, cleared, forgotten, leftOut }
  }

  /** A block is reverted: what was first left out of it never was. The store does the same. */
  revert(number: number): void {
    for (const [address, { since }] of this.#verdicts)
      if (since.number >= number) this.#remove(address)
  }

  #judge(address: string, since: FirstLeftOut, level: number): void {
    const { validMs, validMsMax, clock } = this.#options
    const ms = Math.min(validMs * 2 ** level, Math.max(validMs, validMsMax))
    this.#set(address, since, level, clock.nowMs() + ms)
  }

  #set(address: string, since: FirstLeftOut, level: number, untilMs: number): void {
    this.#verdicts.set(address, { since, untilMs, level })
    this.#levels[level]!.add(address)
  }

  #remove(address: string): boolean {
    const verdict = this.#verdicts.get(address)
    if (verdict === undefined) return false
    this.#levels[verdict.level]!.delete(address)
    return this.#verdicts.delete(address)
  }

  /** The one of which it is surest that it is none. */
  #forgetOne(): void {
    const level = this.#levels.findLastIndex((addresses) => addresses.size > 0)
    const [address] = this.#levels[level]!
    this.#remove(address!)
    this.#forgotten.push({ address: address!, isSettled: level >= settledLevel })
  }
}
