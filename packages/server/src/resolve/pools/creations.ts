import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts, PairCreation } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { ChainReader } from '../chainReader.ts'
import type { Clock } from '../clock.ts'

export type CreationsOptions = {
  reader: Pick<ChainReader, 'readCreatedAt'>
  /** Pairs of an earlier run, discovered late, whose creation nobody looked for to the end. */
  wanted?: readonly PairRecord[] | undefined
  limits: {
    /** Pairs that wait for their turn; more are left to the next start. 0: nothing is looked for. */
    creationSearchesMax: number
    /** Time until a search is tried again that no node answered, and how often. */
    creationRetryMs: number
    creationAttemptsMax: number
  }
  clock: Clock
  logger: Logger
}

type Wanted = { pair: PairRecord; attempts: number; notBeforeMs: number }
type Told = { ref: BlockRef; creation: PairCreation }

/** Looks for the creation of pairs that were discovered late: one after the other, at the head, behind everything else. */
export class Creations {
  readonly #options: CreationsOptions
  readonly #abort = new AbortController()
  /** By pair id, in turn. */
  readonly #wanted = new Map<number, Wanted>()
  #arrived: PairCreation[] = []
  /** Told under blocks that may be reverted. */
  #told: Told[] = []
  #head: BlockRef | null = null
  #searching: PairRecord | null = null

  constructor(options: CreationsOptions) {
    this.#options = options
    for (const pair of options.wanted ?? []) this.add(pair)
  }

  get openCount(): number {
    return this.#wanted.size + (this.#searching === null ? 0 : 1)
  }

  /** Of pairs that count; a curve is no contract of its own. */
  add(pair: PairRecord): void {
    if (pair.createdAtS !== 0 || pair.kind === 'curve' || !pair.isTrusted) return
    if (this.#wanted.size >= this.#options.limits.creationSearchesMax) return
    this.#wanted.set(pair.id, { pair, attempts: 0, notBeforeMs: 0 })
  }

  /** The block in hand is resolved: what arrives from here on is told under it. */
  follow(ref: BlockRef, isLive: boolean): void {
    this.#head = ref
    if (!isLive || this.#searching !== null) return
    const nowMs = this.#options.clock.nowMs()
    for (const wanted of this.#wanted.values())
      if (wanted.notBeforeMs <= nowMs) {
        void this.#search(wanted, ref)
        return
      }
  }

  /** What has arrived since the last call. */
  drain(): LateFacts[] {
    if (this.#arrived.length === 0 || this.#head === null) return []
    const { number, hash } = this.#head
    const creations = this.#arrived
    for (const creation of creations) this.#told.push({ ref: this.#head, creation })
    this.#arrived = []
    return [{ ref: { number, hash }, tokens: [], supplies: [], creations }]
  }

  /** The newest block goes: what was told under it is told again under another, except of pairs that go with it. */
  revert(ref: BlockRef, made: readonly { id: number }[]): void {
    const gone = new Set(made.map(({ id }) => id))
    const isUnder = ({ ref: { hash } }: Told) => hash === ref.hash
    this.#arrived.push(...this.#told.filter(isUnder).map(({ creation }) => creation))
    this.#told = this.#told.filter((told) => !isUnder(told))
    this.#arrived = this.#arrived.filter(({ pairId }) => !gone.has(pairId))
    for (const id of gone) this.#wanted.delete(id)
    if (this.#searching !== null && gone.has(this.#searching.id)) this.#searching = null
    this.#head = null
  }

  /** Blocks before this one stay. */
  forgetBelow(number: number): void {
    if (this.#told.length > 0) this.#told = this.#told.filter(({ ref }) => ref.number >= number)
  }

  close(): void {
    this.#abort.abort()
  }

  async #search({ pair, attempts }: Wanted, at: BlockRef): Promise<void> {
    const { reader, limits, clock, logger } = this.#options
    const { signal } = this.#abort
    this.#searching = pair
    this.#wanted.delete(pair.id)
    // Another may have its id by the time there is an answer.
    const isStill = () => this.#searching === pair
    try {
      const createdAtS = await reader.readCreatedAt(pair.pool ?? pair.address, at, signal)
      if (isStill()) this.#arrived.push({ pairId: pair.id, createdAtS })
    } catch (error) {
      logger.debug({ msg: 'Did not find when a pair was made', pool: pair.address, error })
      const isWorthAsking = attempts + 1 < limits.creationAttemptsMax && !signal.aborted
      const notBeforeMs = clock.nowMs() + limits.creationRetryMs
      if (isStill() && isWorthAsking)
        this.#wanted.set(pair.id, { pair, attempts: attempts + 1, notBeforeMs })
    } finally {
      if (isStill()) this.#searching = null
    }
  }
}
