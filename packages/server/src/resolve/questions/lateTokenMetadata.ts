import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts } from '../../model/logEntry.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { TokenAnswer } from '../chainReader.ts'
import type { RecordCache } from '../records/recordCache.ts'
import { lateFactsOf, Questions, type RecordsToRevert } from './questions.ts'

export function withTokenAnswer(record: TokenRecord, answer: TokenAnswer): TokenRecord {
  const { symbol, name, decimals, isUnreadable } = answer
  return { ...record, symbol, name, decimals, isUnreadable }
}

type LateTokenMetadataOptions = {
  tokens: RecordCache<TokenRecord>
  read(records: readonly TokenRecord[], ref: BlockRef): Promise<readonly TokenAnswer[]>
  /** Called with the new record of each token. */
  onAnswer(record: TokenRecord): void
  logger: Logger
}

/** Symbols, names and decimals of tokens that did not answer within their block. */
export class LateTokenMetadata {
  /** Questions by token id. The subject is the record before the answer. */
  readonly questions: Questions<TokenRecord, TokenAnswer>
  readonly #options: LateTokenMetadataOptions

  constructor(options: LateTokenMetadataOptions) {
    this.#options = options
    this.questions = new Questions({
      keyOf: ({ id }) => id,
      // Asked one by one after a failure: a token that cannot be read must not leave the others
      // without a name.
      onFailure: (records, ref) => {
        if (records.length === 1) this.questions.add(...records)
        else for (const record of records) this.ask([record], ref)
      },
      logger: options.logger,
    })
  }

  /** Asks about queued tokens, at most `countMax`. */
  follow(ref: BlockRef, countMax: number): void {
    const { tokens } = this.#options
    const waiting = this.questions.take(countMax)
    const records = waiting.filter(({ id, address }) => tokens.get(address)?.id === id)
    if (records.length > 0) this.ask(records, ref)
  }

  ask(
    records: readonly TokenRecord[],
    ref: BlockRef,
    answers = this.#options.read(records, ref),
  ): void {
    void this.questions.ask(ref, records, answers)
  }

  drain(): LateFacts[] {
    const { tokens, onAnswer } = this.#options
    const facts: LateFacts[] = []
    for (const [ref, answers] of this.questions.takeAnswers()) {
      const records: TokenRecord[] = []
      for (const { subject: before, answer } of answers) {
        // An earlier block may have been reverted meanwhile and its id reused by another token.
        if (tokens.get(before.address) !== before) continue
        const after = withTokenAnswer(before, answer)
        tokens.replace(after)
        onAnswer(after)
        records.push(after)
      }
      if (records.length > 0) facts.push({ ...lateFactsOf(ref), tokens: records })
    }
    return facts
  }

  revert(ref: BlockRef, { tokens: made }: RecordsToRevert): void {
    const { tokens } = this.#options
    const gone = made.map(({ id }) => id)
    for (const { subject: before } of this.questions.revert(ref, gone))
      if (tokens.get(before.address)?.id === before.id) tokens.replace(before)
  }
}
