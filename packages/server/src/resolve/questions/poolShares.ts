import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { ResolvedEvent } from '../../model/resolvedBlock.ts'
import type { ChainReader } from '../chainReader.ts'
import { lateFactsOf, Questions, type RecordsToRevert } from './questions.ts'

export type PoolSharesOptions = {
  reader: Pick<ChainReader, 'readShares'>
  /** Pairs of an earlier run with an unknown number of shares. */
  open: readonly PairRecord[]
  limits: {
    /** Pairs per request. 0 disables reading. */
    shareReadsMax: number
    /**
     * Length of the queue; shares of further pairs stay unknown until their liquidity changes
     * again.
     */
    shareQueueMax: number
  }
  logger: Logger
}

type FollowedBlock = {
  ref: BlockRef
  events: readonly ResolvedEvent[]
  newPairs: readonly PairRecord[]
  isLive: boolean
}

/**
 * Reads the number of liquidity-provider shares of pools, at the head and at low priority: once,
 * and again after each block that changed a pool's liquidity. Nothing else mints or burns shares.
 */
export class PoolShares {
  /** Questions by pair id. */
  readonly questions: Questions<Pick<PairRecord, 'id' | 'address'>, bigint>
  readonly #options: PoolSharesOptions
  /** Block time of the last request. */
  #askedAtS = -1

  constructor(options: PoolSharesOptions) {
    const { limits, logger } = options
    this.#options = options
    const queueMax = limits.shareQueueMax
    this.questions = new Questions({ keyOf: ({ id }) => id, queueMax, logger })
    for (const pair of options.open) this.#want(pair)
  }

  /** Queues the pools of a resolved block and sends the next request. */
  follow({ ref, events, newPairs, isLive }: FollowedBlock): void {
    const { reader, limits } = this.#options
    if (limits.shareReadsMax === 0) return
    for (const pair of newPairs) this.#want(pair)
    for (const event of events) if (event.type === 'liquidity') this.#want(event.pair)
    // At most one request per second of block time.
    if (!isLive || this.questions.isAsking || ref.timeS === this.#askedAtS) return
    const pools = this.questions.take(limits.shareReadsMax)
    if (pools.length === 0) return
    this.#askedAtS = ref.timeS
    const addresses = pools.map(({ address }) => address)
    const totals = reader.readShares(addresses, { number: ref.number, hash: ref.hash })
    // A pool that does not answer has no shares: it is asked again when its liquidity changes.
    const answers = totals.then((all) => all.map((total) => total ?? undefined))
    void this.questions.ask(ref, pools, answers)
  }

  drain(): LateFacts[] {
    return Array.from(this.questions.takeAnswers(), ([ref, answers]) => {
      const shares = answers.map(({ subject, answer }) => ({ pairId: subject.id, total: answer }))
      return { ...lateFactsOf(ref), shares }
    })
  }

  revert(ref: BlockRef, { pairs, answeredQuestions }: RecordsToRevert): void {
    for (const pair of answeredQuestions?.unsharedPairs ?? []) this.#want(pair)
    this.questions.revert(
      ref,
      pairs.map(({ id }) => id),
    )
    this.#askedAtS = -1
  }

  #want({ id, address, kind, isTrusted }: PairRecord): void {
    if (kind === 'constantProduct' && isTrusted) this.questions.add({ id, address })
  }
}
