import { type Clock, chainNowS } from '../chain/gatewayChain.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { BoardQuery } from './board.ts'
import type { RefreshedBoard } from './refreshedBoard.ts'
import { BoardScan, rowsPerScanStep } from './scan/boardScan.ts'
import { tokenColumn } from './tokenMeasures.ts'

const rankedMax = 10_000
// Minimum time between orders, and longer where many pairs trade: an order takes about two
// microseconds per pair, so orders use at most a twentieth of a core.
const dueMinS = 1
const pairsPerS = 25_000
// Maximum age of a trending order in seconds. An older order is recomputed before it is served.
const ageMaxS = 10

/** Range of tokens that have a trending score. */
export const scoredRange = {
  column: tokenColumn('score'),
  min: 0,
  max: Number.POSITIVE_INFINITY,
}
const query: BoardQuery = {
  ranges: [],
  column: scoredRange.column,
  sign: 1,
  limit: rankedMax,
  after: null,
}

/**
 * Ranks a chain's tokens by trending score. Refreshes the traded tokens of a board in small steps,
 * then orders them.
 */
export class TrendingOrder {
  readonly #kept: RefreshedBoard
  readonly #clock: Clock
  /** Token ids ordered by trending score, best first. */
  #order: readonly number[] = []
  #orderedAtS = Number.NEGATIVE_INFINITY
  #orderedPairs = 0
  /** The chain's revert count when the trending order was computed. */
  #reverts = 0
  #underWay: Promise<void> | null = null

  constructor(kept: RefreshedBoard, clock: Clock) {
    this.#kept = kept
    this.#clock = clock
  }

  /**
   * Returns the latest order. Computes an order synchronously if the latest is too old and no
   * computation is running.
   */
  ids(): readonly number[] {
    const { reads } = this.#kept.chain
    if (this.#underWay === null && !this.#isFresh()) {
      const pass = this.#pass()
      while (pass.next().done !== true);
    }
    if (this.#reverts === reads.revertCount()) return this.#order
    const tokenCount = reads.tokenCount()
    return this.#order.filter((tokenId) => tokenId < tokenCount)
  }

  /** Resolves when a recent enough order exists and the traded tokens are on the board. */
  async whenReady(scheduler: Scheduler): Promise<void> {
    if (!this.#isFresh()) await this.#make(scheduler)
  }

  /** Computes the next trending order if it is due. */
  async refresh(scheduler: Scheduler): Promise<void> {
    const { reads } = this.#kept.chain
    if (reads.head() === null) return
    const isDue = this.#reverts !== reads.revertCount() || this.#ageS() >= this.#dueS()
    if (isDue || !this.#isFresh()) await this.#make(scheduler)
  }

  #isFresh(): boolean {
    const age = this.#ageS()
    // During the first sync, the number of traded pairs multiplies within seconds.
    const isOutgrown = this.#kept.chain.reads.activePairCount() > 2 * this.#orderedPairs
    return age >= 0 && age < Math.max(ageMaxS, 2 * this.#dueS()) && !isOutgrown
  }

  #ageS(): number {
    return chainNowS(this.#kept.chain, this.#clock) - this.#orderedAtS
  }

  #dueS(): number {
    return Math.max(dueMinS, this.#orderedPairs / pairsPerS)
  }

  #make(scheduler: Scheduler): Promise<void> {
    this.#underWay ??= this.#computeInSlices(scheduler).finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  /**
   * Computes an order in slices. Each slice waits at the end of the queue, so that requests queued
   * earlier run between slices.
   */
  async #computeInSlices(scheduler: Scheduler): Promise<void> {
    const { reads } = this.#kept.chain
    const reverts = reads.revertCount()
    const pass = this.#pass()
    for (let isDone = false; !isDone; ) {
      await scheduler.nextSlot(scheduler.newPosition())
      // After a revert, the rows read so far may belong to other tokens.
      if (reads.revertCount() !== reverts) return
      do isDone = pass.next().done === true
      while (!isDone && !scheduler.isSlotOver())
    }
  }

  *#pass(): Generator<void, void, undefined> {
    const { board, chain } = this.#kept
    const { reads } = chain
    this.#kept.handleReverts()
    const reverts = reads.revertCount()
    const nowS = chainNowS(chain, this.#clock)
    const pairCount = reads.activePairCount()
    for (let at = pairCount - 1; at >= 0; at -= 1) {
      // Pairs may have become inactive since; the last active pair then moves to the freed index.
      if (at >= reads.activePairCount()) continue
      const tokenId = reads.targetTokenOf(reads.activePair(at))
      if (!board.isTraded(tokenId)) board.refresh(tokenId, nowS)
      yield
    }
    for (const tokenId of board.tradedIds()) {
      board.refreshTraded(tokenId, nowS)
      yield
    }
    const scan = new BoardScan(board, query)
    for (; !scan.isOver; yield) scan.step(rowsPerScanStep)
    this.#order = scan.rows().map(({ id }) => id)
    this.#orderedAtS = nowS
    this.#orderedPairs = pairCount
    this.#reverts = reverts
  }
}
