import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LateFacts } from '../../model/logEntry.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { TokenAnswer } from '../chainReader.ts'
import type { RecordCache } from '../records/recordCache.ts'

/** Decimals of nearly every token: nothing is priced by them, and amounts are shown so until it has answered. */
const standIn = { symbol: '', name: '', decimals: 18 }

/**
 * The record that a token begins with, before it was asked, or as long as it does not answer. The native coin itself has no
 * contract to ask: the config tells what it is.
 */
export function newToken(
  id: number,
  address: string,
  seenAtS: number,
  { native: { coin, symbol, decimals } }: ChainProfile,
): TokenRecord {
  const isCoin = address === coin
  const said = isCoin ? { symbol, name: symbol, decimals } : standIn
  return { id, address, ...said, isUnreadable: false, seenAtS }
}

export function describeToken(record: TokenRecord, answer: TokenAnswer): TokenRecord {
  const { symbol, name, decimals, isUnreadable } = answer
  return { ...record, symbol, name, decimals, isUnreadable }
}

type Late = { ref: BlockRef; before: TokenRecord; after: TokenRecord }

type LateQuestion = {
  records: readonly TokenRecord[]
  /** The block that the answers are told under. */
  ref: BlockRef
  asked: Promise<readonly TokenAnswer[]>
  ask: (records: readonly TokenRecord[]) => Promise<readonly TokenAnswer[]>
  onAnswer: (record: TokenRecord) => void
}

/** Tokens that did not answer within their block: their records follow when they have. */
export class LateTokens {
  readonly #tokens: RecordCache<TokenRecord>
  readonly #logger: Logger
  /** Not asked at the moment. By id. */
  readonly #waiting = new Map<number, TokenRecord>()
  /** Asked under blocks that have not been reverted since. */
  readonly #open = new Set<LateQuestion>()
  #arrived: Late[] = []
  /** Given out, until their block is reverted. */
  #given: Late[] = []

  constructor(tokens: RecordCache<TokenRecord>, logger: Logger) {
    this.#tokens = tokens
    this.#logger = logger
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  add(record: TokenRecord): void {
    this.#waiting.set(record.id, record)
  }

  /** Those to ask now; the answer is handed to `await`. */
  takeWaiting(countMax: number): TokenRecord[] {
    const records: TokenRecord[] = []
    for (const [id, record] of this.#waiting) {
      if (records.length >= countMax) break
      this.#waiting.delete(id)
      if (this.#tokens.get(record.address)?.id === id) records.push(record)
    }
    return records
  }

  /** Takes note of answers whenever they come. `onAnswer` hears of each that is not too late. */
  async await(question: LateQuestion): Promise<void> {
    const { records, ref, asked, ask, onAnswer } = question
    this.#open.add(question)
    try {
      const answers = await asked
      for (const [i, before] of records.entries()) {
        const answer = answers[i]
        // Its block may have been reverted meanwhile, and its id given to another.
        if (!answer || this.#tokens.get(before.address) !== before) continue
        // An older token's answer cannot be told under a block that is no more.
        if (!this.#open.has(question)) {
          this.add(before)
          continue
        }
        const after = describeToken(before, answer)
        this.#tokens.replace(after)
        this.#arrived.push({ ref, before, after })
        onAnswer(after)
      }
    } catch (error) {
      this.#logger.debug({ msg: 'Tokens did not answer', error, tokenCount: records.length })
      // One that cannot be read must not keep its neighbours nameless.
      for (const record of records)
        if (records.length > 1 && this.#open.has(question)) {
          const alone = [record]
          await this.await({ records: alone, ref, asked: ask(alone), ask, onAnswer })
        } else this.add(record)
    } finally {
      this.#open.delete(question)
    }
  }

  /** What has arrived since the last call, by block. */
  drain(): LateFacts[] {
    const facts = new Map<string, LateFacts & { tokens: TokenRecord[] }>()
    for (const late of this.#arrived) {
      const { number, hash } = late.ref
      const block = facts.get(hash) ?? { ref: { number, hash }, tokens: [], supplies: [] }
      block.tokens.push(late.after)
      facts.set(hash, block)
      this.#given.push(late)
    }
    this.#arrived = []
    return [...facts.values()]
  }

  /** Takes back what was told under this block; the tokens are asked again. */
  revert(ref: BlockRef): void {
    const isReverted = ({ ref: { hash } }: { ref: BlockRef }) => hash === ref.hash
    for (const question of this.#open) if (isReverted(question)) this.#open.delete(question)
    for (const { before, after } of [...this.#arrived, ...this.#given].filter(isReverted)) {
      if (this.#tokens.get(after.address) !== after) continue
      this.#tokens.replace(before)
      this.add(before)
    }
    this.#arrived = this.#arrived.filter((late) => !isReverted(late))
    this.#given = this.#given.filter((late) => !isReverted(late))
  }

  /** Blocks below this number are never reverted. */
  forgetBelow(heldFrom: number): void {
    if (this.#given.length > 0)
      this.#given = this.#given.filter(({ ref }) => ref.number >= heldFrom)
  }
}
