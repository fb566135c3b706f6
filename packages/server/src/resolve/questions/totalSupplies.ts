import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { ChainReader, ReadPoint } from '../chainReader.ts'
import type { TimeBudget } from '../clock.ts'
import { Questions, type RecordsToRevert } from './questions.ts'

type Token = Pick<TokenRecord, 'id' | 'address'>

type TotalSuppliesOptions = {
  reader: Pick<ChainReader, 'readTotals' | 'hasNoHistory'>
  /** Tokens of an earlier run whose supply may be unknown. */
  open: readonly Token[]
  limits: {
    /** Tokens per block. */
    lateTokensMax: number
  }
  logger: Logger
}

/** Reads total supplies of tokens, a few with each block, as part of the block. */
export class TotalSupplies {
  /** Questions by token id. */
  readonly questions: Questions<Token, bigint>
  readonly #options: TotalSuppliesOptions

  constructor(options: TotalSuppliesOptions) {
    this.#options = options
    this.questions = new Questions({ keyOf: ({ id }) => id, logger: options.logger })
    for (const token of options.open) this.add(token)
  }

  add({ id, address }: Token): void {
    this.questions.add({ id, address })
  }

  /** Returns supplies of queued tokens by token id. Never throws. */
  async read(ref: BlockRef, isLive: boolean, budget: TimeBudget): Promise<Map<number, bigint>> {
    const { reader, limits } = this.#options
    // Nodes without history know the newest supply only, which fits a live block only.
    if (reader.hasNoHistory && !isLive) return new Map()
    const tokens = this.questions.take(limits.lateTokensMax)
    const answers = await this.#ask(tokens, ref, budget)
    if (answers === undefined) this.questions.add(...tokens)
    // A token that does not report its supply is not asked again.
    const totals = totalsOf(tokens, answers)
    for (const token of tokens) {
      const total = totals.get(token.id)
      if (total !== undefined) this.questions.recordAnswer(ref, token, total)
    }
    this.questions.takeAnswers()
    return totals
  }

  /** Returns the supplies of these tokens as of a block. Unanswered ones are not retried. */
  async readAt(tokens: readonly Token[], at: ReadPoint, budget: TimeBudget) {
    return totalsOf(tokens, await this.#ask(tokens, at, budget))
  }

  revert(ref: BlockRef, { tokens }: RecordsToRevert): void {
    this.questions.revert(
      ref,
      tokens.map(({ id }) => id),
    )
  }

  async #ask(tokens: readonly Token[], { number, hash }: ReadPoint, budget: TimeBudget) {
    if (tokens.length === 0) return []
    const addresses = tokens.map(({ address }) => address)
    const answers = this.#options.reader.readTotals(addresses, { number, hash })
    return await budget.waitFor(answers).catch(() => undefined)
  }
}

function totalsOf(
  tokens: readonly Token[],
  answers: readonly (bigint | null)[] | undefined,
): Map<number, bigint> {
  const totals = new Map<number, bigint>()
  for (const [i, total] of answers?.entries() ?? [])
    if (total !== null) totals.set(tokens[i]!.id, total)
  return totals
}
