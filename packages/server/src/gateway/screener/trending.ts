import { type Clock, nowSOf } from '../gatewayChain.ts'
import type { Turns } from '../turns/turns.ts'
import type { BoardQuery } from './board.ts'
import type { KeptBoard } from './keptBoard.ts'
import { BoardScan, scanStep } from './scan/boardScan.ts'
import { tokenColumn } from './tokenMeasures.ts'

const rankedMax = 10_000
// The next order is due after a second, later where many pairs trade: each costs two microseconds, so that a twentieth of a core at
// most goes into orders.
const dueMinS = 1
const pairsPerS = 25_000
// Whoever reads an order makes the next one first where this one is older.
const ageMaxS = 10

/** Tokens with a score. */
export const scored = {
  column: tokenColumn('score'),
  min: 0,
  max: Number.POSITIVE_INFINITY,
}
const query: BoardQuery = {
  ranges: [],
  column: scored.column,
  sign: 1,
  limit: rankedMax,
  after: null,
}

/** The traded tokens of a chain on its board, followed pair by pair, and their order by score. */
export class Trending {
  private readonly kept: KeptBoard
  private readonly clock: Clock
  /** Best score first. */
  private order: readonly number[] = []
  private orderedAtS = Number.NEGATIVE_INFINITY
  private orderedPairs = 0
  /** Blocks reverted before the order was made. */
  private reverts = 0
  private underWay: Promise<void> | null = null

  constructor(kept: KeptBoard, clock: Clock) {
    this.kept = kept
    this.clock = clock
  }

  /** The newest order. Where that is too old and no other is being made, the next is made at once. */
  ids(): readonly number[] {
    const { reads } = this.kept.chain
    if (this.underWay === null && !this.isGiven()) {
      const pass = this.pass()
      while (pass.next().done !== true);
    }
    if (this.reverts === reads.revertCount()) return this.order
    const tokenCount = reads.tokenCount()
    return this.order.filter((tokenId) => tokenId < tokenCount)
  }

  /** Resolves when an order can be read that is not too old, and the traded tokens are on the board. */
  async ready(turns: Turns): Promise<void> {
    if (!this.isGiven()) await this.make(turns)
  }

  /** Makes the next order if that is due. */
  async keep(turns: Turns): Promise<void> {
    const { reads } = this.kept.chain
    if (reads.head() === null) return
    const isDue = this.reverts !== reads.revertCount() || this.ageS() >= this.dueS()
    if (isDue || !this.isGiven()) await this.make(turns)
  }

  private isGiven(): boolean {
    const age = this.ageS()
    // A market that is being read for the first time has many more pairs within seconds.
    const isOutgrown = this.kept.chain.reads.activePairCount() > 2 * this.orderedPairs
    return age >= 0 && age < Math.max(ageMaxS, 2 * this.dueS()) && !isOutgrown
  }

  private ageS(): number {
    return nowSOf(this.kept.chain, this.clock) - this.orderedAtS
  }

  private dueS(): number {
    return Math.max(dueMinS, this.orderedPairs / pairsPerS)
  }

  private make(turns: Turns): Promise<void> {
    this.underWay ??= this.makeInTurns(turns).finally(() => {
      this.underWay = null
    })
    return this.underWay
  }

  /** A place of its own for each turn: requests that came before it need not wait for all of them. */
  private async makeInTurns(turns: Turns): Promise<void> {
    const { reads } = this.kept.chain
    const reverts = reads.revertCount()
    const pass = this.pass()
    for (let isDone = false; !isDone; ) {
      await turns.next(turns.place())
      // After a revert the rows read so far may be of other tokens.
      if (reads.revertCount() !== reverts) return
      do isDone = pass.next().done === true
      while (!isDone && !turns.isOver())
    }
  }

  private *pass(): Generator<void, void, undefined> {
    const { board, chain } = this.kept
    const { reads } = chain
    this.kept.noticeReverts()
    const reverts = reads.revertCount()
    const nowS = nowSOf(chain, this.clock)
    const pairCount = reads.activePairCount()
    for (let at = pairCount - 1; at >= 0; at -= 1) {
      // Pairs may have become quiet since; what is at the end then takes a place before it.
      if (at >= reads.activePairCount()) continue
      const tokenId = reads.targetTokenOf(reads.activePair(at))
      if (!board.isTraded(tokenId)) board.refresh(tokenId, nowS)
      yield
    }
    for (const tokenId of board.traded()) {
      board.follow(tokenId, nowS)
      yield
    }
    const scan = new BoardScan(board, query)
    for (; !scan.isOver; yield) scan.step(scanStep)
    this.order = scan.rows().map(({ id }) => id)
    this.orderedAtS = nowS
    this.orderedPairs = pairCount
    this.reverts = reverts
  }
}
