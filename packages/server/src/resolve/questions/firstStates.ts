import { BoundedSet } from '../../lib/boundedSet.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { PoolStateAnswer } from '../../model/pool.ts'
import type { InitialPoolState, ResolvedEvent } from '../../model/resolvedBlock.ts'
import { type ChainReader, parentPointOf, type ReadPoint } from '../chainReader.ts'
import type { TimeBudget } from '../clock.ts'
import type { ResolverLimits } from '../resolverOptions.ts'
import { BlockBackoff, type OpenQuestions, Questions, type RecordsToRevert } from './questions.ts'

type FirstStatesOptions = {
  reader: Pick<ChainReader, 'readStates' | 'rewindStates'>
  open: Pick<OpenQuestions, 'unknownPoolIds' | 'unknownPools'>
  limits: Pick<ResolverLimits, 'pairsMax' | 'firstStatesMax' | 'firstStateGapBlocksMax'>
  logger: Logger
}

export type FirstStatesQuery = {
  ref: BlockRef
  isLive: boolean
  events: readonly ResolvedEvent[]
  /** Pairs that appear first in this block. */
  newPairs: readonly PairRecord[]
  /** True if a trusted factory created the pair in this block, so that its events are complete. */
  isCreatedInBlock: (pair: PairRecord) => boolean
}

export type FirstStatesAnswer = {
  firstStates: InitialPoolState[]
  /** Ids of pools with events in the block whose earlier balances are unknown. */
  unknownPools: ReadonlySet<number>
  /** Pools with balances that this block is the first to report, without an event of the pool. */
  poolsWithoutEvents: readonly PairRecord[]
}

/** A pool state request. `answer` is null if no node was asked. */
type Asked = { pairs: readonly PairRecord[]; answer: Promise<PoolStateAnswer[]> | null }

const noneAsked: Asked = { pairs: [], answer: null }
const noneUnknown: ReadonlySet<number> = new Set()

/**
 * Reads the holdings of concentrated pools before the first block with an event of the pool. If no
 * node keeps that state, transfers since may yield it. Otherwise, and after a timeout, the pool
 * stays unknown and is asked again at the head, where every node has the state.
 */
export class FirstStates {
  readonly #options: FirstStatesOptions
  /** Ids of pools that answered since the start or were created since. */
  readonly #answered: BoundedSet<number>
  /** Ids of all unknown pools. Unbounded: an evicted pool would count as known. */
  readonly #unknown = new Set<number>()
  /** Pools to ask again. The answer is whether the pool was unknown before. */
  readonly questions: Questions<PairRecord, boolean>
  /** Request sent ahead, for the state after the block with this hash. */
  #prefetched: (Asked & { hash: string }) | null = null
  /** Backoff of requests for old state, which full nodes lack. */
  readonly #stateGap: BlockBackoff
  /** Ids of pools whose transfers do not yield a state; asking again would not help. */
  readonly #notComputable: BoundedSet<number>
  readonly #transferGap: BlockBackoff
  #failedCount = 0

  constructor(options: FirstStatesOptions) {
    this.#options = options
    this.questions = new Questions({ keyOf: ({ id }) => id, logger: options.logger })
    this.#answered = new BoundedSet(options.limits.pairsMax)
    this.#notComputable = new BoundedSet(options.limits.pairsMax)
    this.#stateGap = new BlockBackoff(options.limits.firstStateGapBlocksMax)
    this.#transferGap = new BlockBackoff(options.limits.firstStateGapBlocksMax)
    for (const id of options.open.unknownPoolIds) this.#unknown.add(id)
    for (const pair of options.open.unknownPools) this.#setUnknown(pair)
  }

  get unknownCount(): number {
    return this.#unknown.size
  }

  /** Number of requests that failed or timed out. */
  get failedCount(): number {
    return this.#failedCount
  }

  /** Returns the pool states before a block. Never throws. */
  async read(query: FirstStatesQuery, budget: TimeBudget): Promise<FirstStatesAnswer> {
    const { ref, isLive, events } = query
    this.#stateGap.nextBlock()
    this.#transferGap.nextBlock()
    const touched = touchedPools(events)
    const again = this.#askAgain(ref, isLive)
    const met = this.#askForNewPools(query, touched, again)
    const [statesAgain, statesThen] = await Promise.all([
      this.#take(again, budget),
      this.#take(met, budget),
    ])
    if (met.answer !== null && !isLive) this.#stateGap.recordAttempt(statesThen !== null)
    const newIds = new Set(query.newPairs.map(({ id }) => id))
    const isUnknown = ({ id }: PairRecord) => newIds.has(id) || this.#unknown.has(id)
    const rewound =
      statesThen === null && !isLive
        ? await this.#rewind(met.pairs.filter(isUnknown), parentPointOf(ref))
        : null
    const firstStates: InitialPoolState[] = []
    const settle = (pair: PairRecord, state: PoolStateAnswer | undefined) => {
      const isNew = newIds.has(pair.id)
      const wasUnknown = this.#unknown.has(pair.id)
      if (isNew || wasUnknown) this.#setUnknown(pair)
      if (!state) return
      this.questions.recordAnswer(ref, pair, wasUnknown)
      if (this.#applyAnswer(pair, state, isNew)) firstStates.push({ pair, ...state, wasUnknown })
    }
    for (const [i, pair] of again.pairs.entries()) settle(pair, statesAgain?.[i])
    for (const [i, pair] of met.pairs.entries())
      settle(pair, statesThen?.[i] ?? rewound?.get(pair.id))
    this.questions.takeAnswers()
    this.#prefetched = isLive && this.questions.queuedCount > 0 ? this.#askWaiting(ref) : null
    return {
      firstStates,
      unknownPools: this.#unknown.size === 0 ? noneUnknown : this.#unknownOf(touched),
      poolsWithoutEvents: firstStates
        .filter((first) => isNews(first, touched))
        .map(({ pair }) => pair),
    }
  }

  /** Reverts the answers of a block; `answered` replaces those of a block of an earlier run. */
  revert(ref: BlockRef, { pairs, answeredQuestions }: RecordsToRevert): void {
    for (const pair of answeredQuestions?.unknownPools ?? []) {
      this.#answered.delete(pair.id)
      this.#setUnknown(pair)
    }
    for (const { subject: pair, answer: wasUnknown } of this.questions.revert(ref, [])) {
      this.#answered.delete(pair.id)
      if (wasUnknown) this.#setUnknown(pair)
      if (!this.#unknown.has(pair.id)) this.questions.delete(pair.id)
    }
    for (const { id } of pairs) {
      this.#answered.delete(id)
      this.#unknown.delete(id)
      this.questions.delete(id)
      this.#notComputable.delete(id)
    }
  }

  /** Requests the state before the block for pools that are still unknown. */
  #askAgain(ref: BlockRef, isLive: boolean): Asked {
    if (this.#prefetched?.hash === ref.parentHash) return this.#prefetched
    if (!isLive || this.questions.queuedCount === 0) return noneAsked
    return this.#askWaiting(parentPointOf(ref))
  }

  #askWaiting({ number, hash }: ReadPoint): Asked & { hash: string } {
    const pairs = this.questions.take(this.#options.limits.firstStatesMax)
    // Queued at the end again, so that all other pools come before those that do not answer.
    this.questions.add(...pairs)
    return { ...this.#ask(pairs, { number, hash }), hash }
  }

  /** Requests the state before the block for its pools that have not answered since the start. */
  #askForNewPools(
    { ref, isLive, isCreatedInBlock }: FirstStatesQuery,
    touched: ReadonlyMap<number, PairRecord>,
    again: Asked,
  ): Asked {
    const againIds = new Set(again.pairs.map(({ id }) => id))
    const pairs: PairRecord[] = []
    for (const [id, pair] of touched) {
      if (isCreatedInBlock(pair)) this.#answered.add(id)
      else if (!this.#answered.has(id) && !againIds.has(id)) pairs.push(pair)
    }
    if (pairs.length === 0) return noneAsked
    // A node without this old state will lack it for the next block too, and its error takes time.
    if (!isLive && !this.#stateGap.isOver) return { pairs, answer: null }
    return this.#ask(pairs, parentPointOf(ref))
  }

  #ask(pairs: readonly PairRecord[], at: ReadPoint): Asked {
    const answer = this.#options.reader.readStates(pairs, at)
    answer.catch(() => undefined)
    return { pairs, answer }
  }

  async #take({ pairs, answer }: Asked, budget: TimeBudget): Promise<PoolStateAnswer[] | null> {
    if (answer === null) return null
    const states = await budget.waitFor(answer).catch(() => undefined)
    if (states) return states
    this.#failedCount++
    this.#options.logger.debug({
      msg: 'Nodes did not answer for pool states',
      poolCount: pairs.length,
    })
    return null
  }

  /** Applies an answer. Returns whether the ledger may use it. */
  #applyAnswer({ id }: PairRecord, state: PoolStateAnswer, isNew: boolean): boolean {
    // A contract that did not report its balances once would not do so later.
    this.#answered.add(id)
    this.questions.delete(id)
    const { reserve0, reserve1, priceRaw } = state
    const isTold = reserve0 !== null && reserve1 !== null
    const wasAbsent = reserve0 === null && reserve1 === null && priceRaw === null
    if (isTold || (isNew && wasAbsent)) this.#unknown.delete(id)
    return !this.#unknown.has(id)
  }

  #setUnknown(pair: PairRecord): void {
    this.#unknown.add(pair.id)
    this.questions.add(pair)
  }

  /** Computes states by pair id from later transfers, for pools whose old state no node keeps. */
  async #rewind(
    pairs: readonly PairRecord[],
    at: ReadPoint,
  ): Promise<ReadonlyMap<number, PoolStateAnswer>> {
    const { reader, logger } = this.#options
    const states = new Map<number, PoolStateAnswer>()
    const asked = pairs.filter(({ id }) => !this.#notComputable.has(id))
    if (asked.length === 0 || !reader.rewindStates || !this.#transferGap.isOver) return states
    try {
      const answers = await reader.rewindStates(asked, at)
      this.#transferGap.recordAttempt(true)
      for (const [i, { id }] of asked.entries()) {
        const state = answers[i] ?? null
        if (state === null) this.#notComputable.add(id)
        else states.set(id, state)
      }
    } catch (error) {
      this.#transferGap.recordAttempt(false)
      logger.debug({ msg: 'Nodes did not answer for transfers of pools', error: String(error) })
    }
    return states
  }

  #unknownOf(touched: ReadonlyMap<number, PairRecord>): ReadonlySet<number> {
    return new Set([...touched.keys()].filter((id) => this.#unknown.has(id)))
  }
}

function touchedPools(events: readonly ResolvedEvent[]): Map<number, PairRecord> {
  const pools = new Map<number, PairRecord>()
  for (const event of events)
    if ('pair' in event && isAsked(event.pair)) pools.set(event.pair.id, event.pair)
  return pools
}

/** Pool kinds whose events do not contain the pool's balances. */
function isAsked({ kind }: PairRecord): boolean {
  return kind === 'concentrated' || kind === 'vault'
}

/**
 * True for a pool without an event in the block and with a balance. Unknown balances count as 0
 * already.
 */
function isNews(
  { pair, reserve0, reserve1 }: InitialPoolState,
  touched: ReadonlyMap<number, PairRecord>,
): boolean {
  return !touched.has(pair.id) && (reserve0 !== 0n || reserve1 !== 0n)
}
