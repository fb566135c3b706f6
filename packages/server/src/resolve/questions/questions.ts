import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'

/** Tokens and pairs of an earlier run with an open question. */
export type OpenQuestions = {
  /** Tokens with an incomplete holder count: most recently traded first, then the newest. */
  incompleteTokens: readonly TokenRecord[]
  /** Tokens and pairs whose creation search is unfinished. */
  uncreatedTokens: readonly TokenRecord[]
  uncreatedPairs: readonly PairRecord[]
  /** Pairs with an unknown number of liquidity-provider shares. */
  unsharedPairs: readonly PairRecord[]
  /** Ids of all concentrated pools with unknown balances. */
  unknownPoolIds: Iterable<number>
  /** Pools with unknown balances that are asked at once, before their next trade. */
  unknownPools: readonly PairRecord[]
}

/**
 * Tokens and pairs whose questions a block of an earlier run answered, without records the block
 * created. Reverting the block reopens their questions.
 */
export type AnsweredQuestions = Partial<Omit<OpenQuestions, 'unknownPoolIds'>>

export const noOpenQuestions: OpenQuestions = {
  incompleteTokens: [],
  uncreatedTokens: [],
  uncreatedPairs: [],
  unsharedPairs: [],
  unknownPoolIds: [],
  unknownPools: [],
}

/**
 * Backoff in blocks: how many blocks pass before an unanswered question is asked again; doubles
 * each time.
 */
export class BlockBackoff {
  readonly #blocksMax: number
  #blocks = 0
  #blocksLeft = 0

  constructor(blocksMax: number) {
    this.#blocksMax = blocksMax
  }

  get isOver(): boolean {
    return this.#blocksLeft === 0
  }

  nextBlock(): void {
    this.#blocksLeft = Math.max(0, this.#blocksLeft - 1)
  }

  recordAttempt(isAnswered: boolean): void {
    const longer = Math.min(Math.max(1, 2 * this.#blocks), this.#blocksMax)
    this.#blocks = isAnswered ? 0 : longer
    this.#blocksLeft = this.#blocks
  }
}

type Key = number | string
type Answered<subject, answer> = { subject: subject; answer: answer }

type QuestionsOptions<subject> = {
  keyOf(subject: subject): Key
  /** Length of the queue; further subjects are dropped. @default no limit */
  queueMax?: number | undefined
  /** Called with subjects that no node answered for. @default queues them again */
  onFailure?: ((subjects: readonly subject[], ref: BlockRef) => void) | undefined
  logger: Logger
}

/**
 * Records that a block created, and older questions that it answered: what reverts a block of an
 * earlier run. A finished block has this shape.
 */
export type RecordsToRevert = {
  tokens: readonly Pick<TokenRecord, 'id' | 'address'>[]
  pairs: readonly Pick<PairRecord, 'id' | 'address'>[]
  /** Older tokens and pairs whose open questions the block answered. @default none */
  answeredQuestions?: AnsweredQuestions | undefined
}

/** Creates an empty LateFacts of a block, for answers that arrive after the block. */
export function lateFactsOf({ number, hash }: BlockRef): LateFacts {
  return { ref: { number, hash }, tokens: [], supplies: [] }
}

/**
 * One kind of question to nodes: a queue of subjects, requests in flight, and the answers of blocks
 * that may be reverted. A revert queues all subjects of the block again.
 */
export class Questions<subject, recordAnswer> {
  readonly #options: QuestionsOptions<subject>
  /** Queued subjects, the longest waiting first. */
  readonly #waiting = new Map<Key, subject>()
  readonly #asked = new Set<{ ref: BlockRef; subjects: readonly subject[] }>()
  #arrived: (Answered<subject, recordAnswer> & { ref: BlockRef })[] = []
  #given: (Answered<subject, recordAnswer> & { ref: BlockRef })[] = []

  constructor(options: QuestionsOptions<subject>) {
    this.#options = options
  }

  get queuedCount(): number {
    return this.#waiting.size
  }

  get isAsking(): boolean {
    return this.#asked.size > 0
  }

  findQueued(key: Key): subject | undefined {
    return this.#waiting.get(key)
  }

  /** Queues subjects. A subject that is already queued keeps its place. */
  add(...subjects: readonly subject[]): void {
    const { keyOf, queueMax = Number.POSITIVE_INFINITY } = this.#options
    for (const subject of subjects)
      if (this.#waiting.size < queueMax) this.#waiting.set(keyOf(subject), subject)
  }

  delete(key: Key): void {
    this.#waiting.delete(key)
  }

  /** Removes and returns the first subjects that are due. */
  take(countMax: number, isDue: (subject: subject) => boolean = () => true): subject[] {
    const taken: subject[] = []
    for (const [key, subject] of this.#waiting) {
      if (taken.length >= countMax) break
      if (!isDue(subject)) continue
      this.#waiting.delete(key)
      taken.push(subject)
    }
    return taken
  }

  /**
   * Waits for answers and records them, in the order of the subjects. An undefined answer is
   * dropped and its subject not asked again.
   */
  async ask(
    ref: BlockRef,
    subjects: readonly subject[],
    answers: Promise<readonly (recordAnswer | undefined)[]>,
  ): Promise<void> {
    const { logger, onFailure = (unanswered) => this.add(...unanswered) } = this.#options
    const asked = { ref, subjects }
    this.#asked.add(asked)
    const read = await answers.catch((error: unknown) => {
      logger.debug({ msg: 'Nodes did not answer', subjects: subjects.length, error })
      return null
    })
    // The block was reverted before the answer arrived.
    if (!this.#asked.delete(asked)) return
    if (read === null) onFailure(subjects, ref)
    for (const [i, answer] of read?.entries() ?? [])
      if (answer !== undefined) this.recordAnswer(ref, subjects[i]!, answer)
  }

  recordAnswer(ref: BlockRef, subject: subject, answer: recordAnswer): void {
    this.#arrived.push({ ref, subject, answer })
  }

  /** Returns answers since the last call, by block. */
  takeAnswers(): Map<BlockRef, Answered<subject, recordAnswer>[]> {
    const byBlock = new Map<BlockRef, Answered<subject, recordAnswer>[]>()
    for (const answered of this.#arrived) {
      const block = byBlock.get(answered.ref)
      if (block === undefined) byBlock.set(answered.ref, [answered])
      else block.push(answered)
    }
    this.#given.push(...this.#arrived)
    this.#arrived = []
    return byBlock
  }

  /**
   * Reverts the newest block and returns its answers. `gone` are the keys of records the block
   * created.
   */
  revert({ hash }: BlockRef, gone: Iterable<Key>): Answered<subject, recordAnswer>[] {
    const isReverted = ({ ref }: { ref: BlockRef }) => ref.hash === hash
    for (const asked of this.#asked) {
      if (!isReverted(asked)) continue
      this.#asked.delete(asked)
      this.add(...asked.subjects)
    }
    const reverted = [...this.#arrived, ...this.#given].filter(isReverted)
    if (reverted.length > 0) {
      this.#arrived = this.#arrived.filter((answered) => !isReverted(answered))
      this.#given = this.#given.filter((answered) => !isReverted(answered))
      this.add(...reverted.map(({ subject }) => subject))
    }
    for (const key of gone) this.#waiting.delete(key)
    return reverted
  }

  /** Drops undo data of blocks below this number, which are never reverted. */
  dropUndoBelow(number: number): void {
    if ((this.#given[0]?.ref.number ?? number) >= number) return
    this.#given = this.#given.filter(({ ref }) => ref.number >= number)
  }
}
