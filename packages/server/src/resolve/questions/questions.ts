import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts } from '../../model/logEntry.ts'
import type { AnsweredSubjects } from './openSubjects.ts'

type Key = number | string
type Answered<subject, answer> = { subject: subject; answer: answer }

export type QuestionsOptions<subject> = {
  keyOf(subject: subject): Key
  /** Subjects that wait; more are dropped. @default no limit */
  waitingMax?: number | undefined
  /** Called with subjects that no node answered for. @default they are queued again */
  onFailure?: ((subjects: readonly subject[], ref: BlockRef) => void) | undefined
  logger: Logger
}

/** Answers and subjects that a reverted block removes. */
export type BlockRecords = {
  tokens: readonly { id: number }[]
  pairs: readonly { id: number }[]
  /** @default none */
  answered?: AnsweredSubjects | undefined
}

/** Where answers go that arrive after their block. */
export function lateFactsOf({ number, hash }: BlockRef): LateFacts {
  return { ref: { number, hash }, tokens: [], supplies: [] }
}

/**
 * One kind of question: the subjects that wait, those asked about, and the answers of blocks that may be reverted. A
 * revert makes all subjects of the block wait again.
 */
export class Questions<subject, answer> {
  readonly #options: QuestionsOptions<subject>
  /** The longest waiting first. */
  readonly #waiting = new Map<Key, subject>()
  readonly #asked = new Set<{ ref: BlockRef; subjects: readonly subject[] }>()
  #arrived: (Answered<subject, answer> & { ref: BlockRef })[] = []
  #given: (Answered<subject, answer> & { ref: BlockRef })[] = []

  constructor(options: QuestionsOptions<subject>) {
    this.#options = options
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  get isAsking(): boolean {
    return this.#asked.size > 0
  }

  waiting(key: Key): subject | undefined {
    return this.#waiting.get(key)
  }

  /** A subject that waits keeps its place. */
  add(...subjects: readonly subject[]): void {
    const { keyOf, waitingMax = Number.POSITIVE_INFINITY } = this.#options
    for (const subject of subjects)
      if (this.#waiting.size < waitingMax) this.#waiting.set(keyOf(subject), subject)
  }

  delete(key: Key): void {
    this.#waiting.delete(key)
  }

  /** The first that are due; they wait no longer. */
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

  /** Takes note of answers, in the order of the subjects, whenever they come. Undefined: not worth asking again. */
  async ask(
    ref: BlockRef,
    subjects: readonly subject[],
    answers: Promise<readonly (answer | undefined)[]>,
  ): Promise<void> {
    const { logger, onFailure = (unanswered) => this.add(...unanswered) } = this.#options
    const asked = { ref, subjects }
    this.#asked.add(asked)
    const read = await answers.catch((error: unknown) => {
      logger.debug({ msg: 'A question was not answered', subjects: subjects.length, error })
      return null
    })
    // A revert of the block was quicker.
    if (!this.#asked.delete(asked)) return
    if (read === null) onFailure(subjects, ref)
    for (const [i, answer] of read?.entries() ?? [])
      if (answer !== undefined) this.answer(ref, subjects[i]!, answer)
  }

  answer(ref: BlockRef, subject: subject, answer: answer): void {
    this.#arrived.push({ ref, subject, answer })
  }

  /** Answers since the last call, by block. */
  drain(): Map<BlockRef, Answered<subject, answer>[]> {
    const byBlock = new Map<BlockRef, Answered<subject, answer>[]>()
    for (const answered of this.#arrived) {
      const block = byBlock.get(answered.ref)
      if (block === undefined) byBlock.set(answered.ref, [answered])
      else block.push(answered)
    }
    this.#given.push(...this.#arrived)
    this.#arrived = []
    return byBlock
  }

  /** The newest block goes; `gone` are the keys of what it created. Returns its answers. */
  revert({ hash }: BlockRef, gone: Iterable<Key>): Answered<subject, answer>[] {
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

  /** Blocks below this number are never reverted. */
  forgetBelow(number: number): void {
    if ((this.#given[0]?.ref.number ?? number) >= number) return
    this.#given = this.#given.filter(({ ref }) => ref.number >= number)
  }
}
