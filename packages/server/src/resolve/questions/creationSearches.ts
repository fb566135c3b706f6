import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts, PairCreation, TokenCreation } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { ChainReader } from '../chainReader.ts'
import type { Clock } from '../clock.ts'
import { lateFactsOf, type OpenQuestions, Questions, type RecordsToRevert } from './questions.ts'

export type CreationSearchesOptions = {
  reader: Pick<ChainReader, 'readCreatedAt'>
  open: Pick<OpenQuestions, 'uncreatedPairs' | 'uncreatedTokens'>
  /**
   * A token whose transfers are still being scanned waits: its first transfer shortens the search.
   */
  isReading: (tokenId: number) => boolean
  limits: {
    /**
     * Length of the queue; pairs and tokens above it wait for the next start. 0 disables searches.
     */
    creationSearchesMax: number
    /** Delay before an unanswered search is retried, and the number of attempts. */
    creationRetryMs: number
    creationAttemptsMax: number
  }
  clock: Clock
  logger: Logger
}

type Contract = {
  kind: 'pair' | 'token'
  id: number
  address: string
  /** Block of the token's first transfer; null if unknown. */
  firstTransfer: number | null
  attempts: number
  notBeforeMs: number
}

/**
 * Searches for the creation time of tokens and of pairs discovered late: one at a time, on live
 * blocks, at low priority.
 */
export class CreationSearches {
  /** Answers are Unix seconds; null if no node can tell any more. */
  readonly questions: Questions<Contract, number | null>
  readonly #options: CreationSearchesOptions
  readonly #abort = new AbortController()
  #searchedAtS = -1

  constructor(options: CreationSearchesOptions) {
    const { open, limits, logger } = options
    this.#options = options
    this.questions = new Questions<Contract, number | null>({
      keyOf,
      queueMax: limits.creationSearchesMax,
      onFailure: ([contract]) => this.#retry(contract!),
      logger,
    })
    for (const pair of open.uncreatedPairs) this.addPair(pair)
    for (const token of open.uncreatedTokens) this.addToken(token, null)
  }

  /**
   * Adds a pair without creation time. Skips untrusted pairs, and curves, which have no contract of
   * their own.
   */
  addPair({ id, kind, isTrusted, createdAtS, pool, address }: PairRecord): void {
    if (createdAtS === 0 && kind !== 'curve' && isTrusted)
      this.#want({ kind: 'pair', id, address: pool ?? address, firstTransfer: null })
  }

  addToken(
    { id, address }: Pick<TokenRecord, 'id' | 'address'>,
    firstTransfer: number | null,
  ): void {
    this.#want({ kind: 'token', id, address, firstTransfer })
  }

  setFirstTransfer(tokenId: number, number: number | null): void {
    const contract = this.questions.findQueued(keyOf({ kind: 'token', id: tokenId }))
    if (contract !== undefined) contract.firstTransfer = number
  }

  /**
   * Starts at most one search per second of block time, so that fast chains do not send more
   * requests.
   */
  follow(ref: BlockRef, isLive: boolean): void {
    const isSameSecond = ref.timeS === this.#searchedAtS
    if (!isLive || isSameSecond || this.questions.isAsking) return
    const { reader, clock, isReading } = this.#options
    const nowMs = clock.nowMs()
    const [contract] = this.questions.take(1, ({ kind, id, notBeforeMs }) => {
      return notBeforeMs <= nowMs && !(kind === 'token' && isReading(id))
    })
    if (contract === undefined) return
    this.#searchedAtS = ref.timeS
    const { address, firstTransfer } = contract
    const { signal } = this.#abort
    const createdAtS = reader.readCreatedAt({ address, at: ref, firstTransfer, signal })
    void this.questions.ask(
      ref,
      [contract],
      createdAtS.then((atS) => [atS]),
    )
  }

  drain(): LateFacts[] {
    return Array.from(this.questions.takeAnswers(), ([ref, answers]) => {
      const creations: PairCreation[] = []
      const tokenCreations: TokenCreation[] = []
      for (const { subject, answer: createdAtS } of answers)
        if (subject.kind === 'pair') creations.push({ pairId: subject.id, createdAtS })
        else tokenCreations.push({ tokenId: subject.id, createdAtS })
      return { ...lateFactsOf(ref), creations, tokenCreations }
    })
  }

  revert(ref: BlockRef, { pairs, tokens, answeredQuestions }: RecordsToRevert): void {
    for (const pair of answeredQuestions?.uncreatedPairs ?? []) this.addPair(pair)
    for (const token of answeredQuestions?.uncreatedTokens ?? []) this.addToken(token, null)
    this.questions.revert(ref, [
      ...pairs.map(({ id }) => keyOf({ kind: 'pair', id })),
      ...tokens.map(({ id }) => keyOf({ kind: 'token', id })),
    ])
    this.#searchedAtS = -1
  }

  close(): void {
    this.#abort.abort()
  }

  #want(contract: Omit<Contract, 'attempts' | 'notBeforeMs'>): void {
    this.questions.add({ ...contract, attempts: 0, notBeforeMs: 0 })
  }

  #retry(contract: Contract): void {
    const { limits, clock } = this.#options
    const attempts = contract.attempts + 1
    if (attempts >= limits.creationAttemptsMax || this.#abort.signal.aborted) return
    const notBeforeMs = clock.nowMs() + limits.creationRetryMs
    this.questions.add({ ...contract, attempts, notBeforeMs })
  }
}

function keyOf({ kind, id }: Pick<Contract, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}
