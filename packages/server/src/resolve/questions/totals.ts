import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { ChainReader, ReadPoint } from '../chainReader.ts'
import type { Budget } from '../clock.ts'
import { type BlockRecords, Questions } from './questions.ts'

type Token = Pick<TokenRecord, 'id' | 'address'>

export type TotalsOptions = {
  reader: Pick<ChainReader, 'readTotals' | 'hasNoHistory'>
  /** Tokens of an earlier run whose supply may be unknown. */
  open: readonly Token[]
  limits: {
    /** Tokens asked about with one block. */
    lateTokensMax: number
  }
  logger: Logger
}

/** Total supplies of tokens: a few with each block, as part of the block. */
export class Totals {
  /** Indexed by token id. */
  readonly questions: Questions<Token, bigint>
  readonly #options: TotalsOptions

  constructor(options: TotalsOptions) {
    this.#options = options
    this.questions = new Questions({ keyOf: ({ id }) => id, logger: options.logger })
    for (const token of options.open) this.add(token)
  }

  add({ id, address }: Token): void {
    this.questions.add({ id, address })
  }

  /** Indexed by token id; never throws. */
  async read(ref: BlockRef, isLive: boolean, budget: Budget): Promise<Map<number, bigint>> {
    const { reader, limits } = this.#options
    // Nodes without history know the newest supply only, which a live block has.
    if (reader.hasNoHistory && !isLive) return new Map()
    const tokens = this.questions.take(limits.lateTokensMax)
    const answers = await this.#ask(tokens, ref, budget)
    if (answers === undefined) this.questions.add(...tokens)
    // A token that hides its supply is not asked again.
    const totals = totalsOf(tokens, answers)
    for (const token of tokens) {
      const total = totals.get(token.id)
      if (total !== undefined) this.questions.answer(ref, token, total)
    }
    this.questions.drain()
    return totals
  }

  /** The supplies of these tokens as of a block. A question without an answer is not repeated. */
  async readAt(tokens: readonly Token[], at: ReadPoint, budget: Budget) {
    return totalsOf(tokens, await this.#ask(tokens, at, budget))
  }

  revert(ref: BlockRef, { tokens }: BlockRecords): void {
    this.questions.revert(
      ref,
      tokens.map(({ id }) => id),
    )
  }

  async #ask(tokens: readonly Token[], { number, hash }: ReadPoint, budget: Budget) {
    if (tokens.length === 0) return []
    const addresses = tokens.map(({ address }) => address)
    const answers = this.#options.reader.readTotals(addresses, { number, hash })
    return await budget.take(answers).catch(() => undefined)
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
