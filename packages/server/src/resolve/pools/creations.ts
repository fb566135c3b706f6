import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { ChainReader } from '../chainReader.ts'
import type { Clock } from '../clock.ts'

export type CreationsOptions = {
  reader: Pick<ChainReader, 'readCreatedAt'>
  /** Pairs and tokens of an earlier run whose creation nobody looked for to the end. */
  wantedPairs?: readonly PairRecord[] | undefined
  wantedTokens?: readonly TokenRecord[] | undefined
  /** A token whose transfers are being read waits: they tell when the first of them was. @default none */
  isReading?: ((tokenId: number) => boolean) | undefined
  limits: {
    /** Pairs and tokens that wait for their turn; more are left to the next start. 0: nothing is looked for. */
    creationSearchesMax: number
    /** Time until a search is tried again that no node answered, and how often. */
    creationRetryMs: number
    creationAttemptsMax: number
  }
  clock: Clock
  logger: Logger
}

type Kind = 'pair' | 'token'
type Wanted = {
  kind: Kind
  id: number
  /** Of the contract. */
  address: string
  firstTransfer: number | null
  attempts: number
  notBeforeMs: number
}
type Creation = { kind: Kind; id: number; createdAtS: number | null }
type Told = { ref: BlockRef; creation: Creation }

/**
 * Looks for the creation of pairs that were discovered late, and of tokens: one after the other, at the head, behind
 * everything else.
 */
export class Creations {
  readonly #options: CreationsOptions
  readonly #abort = new AbortController()
  /** In turn. */
  readonly #wanted = new Map<string, Wanted>()
  #arrived: Creation[] = []
  /** Told under blocks that may be reverted. */
  #told: Told[] = []
  #head: BlockRef | null = null
  #searching: Wanted | null = null

  constructor(options: CreationsOptions) {
    this.#options = options
    for (const pair of options.wantedPairs ?? []) this.addPair(pair)
    for (const token of options.wantedTokens ?? []) this.addToken(token)
  }

  get openCount(): number {
    return this.#wanted.size + (this.#searching === null ? 0 : 1)
  }

  /** Of pairs that count; a curve is no contract of its own. */
  addPair(pair: PairRecord): void {
    if (pair.createdAtS !== 0 || pair.kind === 'curve' || !pair.isTrusted) return
    this.#want('pair', pair.id, pair.pool ?? pair.address)
  }

  /** `firstTransfer`: as below. */
  addToken(
    { id, address }: Pick<TokenRecord, 'id' | 'address'>,
    firstTransfer: number | null = null,
  ): void {
    this.#want('token', id, address, firstTransfer)
  }

  /** The block of a token's first transfer; null: not told. */
  setFirstTransfer(tokenId: number, number: number | null): void {
    const wanted = this.#wanted.get(keyOf('token', tokenId))
    if (wanted !== undefined) wanted.firstTransfer = number
  }

  /**
   * The block is resolved: creations found from here on are reported under it. Starts at most one search per second of
   * block time, so that fast chains do not ask more.
   */
  follow(ref: BlockRef, isLive: boolean): void {
    const isSameSecond = ref.timeS === this.#head?.timeS
    this.#head = ref
    if (!isLive || isSameSecond || this.#searching !== null) return
    const { clock, isReading } = this.#options
    const nowMs = clock.nowMs()
    for (const wanted of this.#wanted.values()) {
      if (wanted.notBeforeMs > nowMs) continue
      if (wanted.kind === 'token' && isReading?.(wanted.id)) continue
      void this.#search(wanted, ref)
      return
    }
  }

  /** What has arrived since the last call. */
  drain(): LateFacts[] {
    if (this.#arrived.length === 0 || this.#head === null) return []
    const { number, hash } = this.#head
    const creations: { pairId: number; createdAtS: number | null }[] = []
    const tokenCreations: { tokenId: number; createdAtS: number | null }[] = []
    for (const creation of this.#arrived) {
      const { kind, id, createdAtS } = creation
      this.#told.push({ ref: this.#head, creation })
      if (kind === 'pair') creations.push({ pairId: id, createdAtS })
      else tokenCreations.push({ tokenId: id, createdAtS })
    }
    this.#arrived = []
    return [{ ref: { number, hash }, tokens: [], supplies: [], creations, tokenCreations }]
  }

  /** The newest block goes: what was told under it is told again under another, except of what goes with it. */
  revert(
    ref: BlockRef,
    made: { pairs: readonly { id: number }[]; tokens: readonly { id: number }[] },
  ): void {
    const gone = new Set([
      ...made.pairs.map(({ id }) => keyOf('pair', id)),
      ...made.tokens.map(({ id }) => keyOf('token', id)),
    ])
    const isUnder = ({ ref: { hash } }: Told) => hash === ref.hash
    this.#arrived.push(...this.#told.filter(isUnder).map(({ creation }) => creation))
    this.#told = this.#told.filter((told) => !isUnder(told))
    this.#arrived = this.#arrived.filter(({ kind, id }) => !gone.has(keyOf(kind, id)))
    for (const key of gone) this.#wanted.delete(key)
    const { kind, id } = this.#searching ?? { kind: 'pair', id: -1 }
    if (gone.has(keyOf(kind, id))) this.#searching = null
    this.#head = null
  }

  /** Blocks before this one stay. */
  forgetBelow(number: number): void {
    if (this.#told.length > 0) this.#told = this.#told.filter(({ ref }) => ref.number >= number)
  }

  close(): void {
    this.#abort.abort()
  }

  #want(kind: Kind, id: number, address: string, firstTransfer: number | null = null): void {
    if (this.#wanted.size >= this.#options.limits.creationSearchesMax) return
    const wanted = { kind, id, address, firstTransfer, attempts: 0, notBeforeMs: 0 }
    this.#wanted.set(keyOf(kind, id), wanted)
  }

  async #search(wanted: Wanted, at: BlockRef): Promise<void> {
    const { reader, limits, clock, logger } = this.#options
    const { signal } = this.#abort
    const { kind, id, address, firstTransfer, attempts } = wanted
    this.#searching = wanted
    this.#wanted.delete(keyOf(kind, id))
    // Another may have its id by the time there is an answer.
    const isStill = () => this.#searching === wanted
    try {
      const createdAtS = await reader.readCreatedAt({ address, at, firstTransfer, signal })
      if (isStill()) this.#arrived.push({ kind, id, createdAtS })
    } catch (error) {
      logger.debug({ msg: 'Did not find when a contract was made', address, error })
      const isWorthAsking = attempts + 1 < limits.creationAttemptsMax && !signal.aborted
      const notBeforeMs = clock.nowMs() + limits.creationRetryMs
      if (isStill() && isWorthAsking)
        this.#wanted.set(keyOf(kind, id), { ...wanted, attempts: attempts + 1, notBeforeMs })
    } finally {
      if (isStill()) this.#searching = null
    }
  }
}

function keyOf(kind: Kind, id: number): string {
  return `${kind} ${id}`
}
