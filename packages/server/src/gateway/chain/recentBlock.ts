import type { BlockRef } from '../../model/block.ts'
import type {
  CurveStepEvent,
  LiquidityEvent,
  MarketEvent,
  SupplyEvent,
  SwapEvent,
} from '../../model/marketEvent.ts'
import { type PairMilestone, pairMilestonesOf } from '../../model/pairMilestones.ts'
import { blockEndIndex, formatCursor, hash8Of } from './cursor.ts'
import type { PairFacts, TokenFacts } from './pairFacts.ts'

/** Cursors and times that belong to a push. */
export type PushPosition = {
  /** Cursor of the push itself: a client that received the push resumes after it. */
  cursor: string
  /** Cursor just before the push: a client that missed the push resumes here. */
  cursorBefore: string
  /** Time of the block that caused the push; null before the first block. */
  blockTimeS: number | null
  receivedMs: number | null
}

/** A swap or liquidity change, as `tx`, `multi_tx` and `liq` push it. */
export type TradeEvent = SwapEvent | LiquidityEvent

type RecentBlockParts = {
  /**
   * Sequence of the block in its chain's log. Offset if another chain had the name before, so that
   * it always rises.
   */
  seq: number
  ref: BlockRef
  receivedMs: number
  events: readonly MarketEvent[]
}

/**
 * Where a repeated event occurred first: the `seq` of its block, and the `seq` of the entry that
 * reverted that block.
 */
export type RepeatedEvent = { seq: number; revertedSeq: number }

/** A recent block in memory, with what pushes and replays need of it. */
export class RecentBlock {
  readonly seq: number
  readonly ref: BlockRef
  readonly parent: { number: number; hash: string }
  readonly receivedMs: number
  readonly events: readonly MarketEvent[]
  /** Memory use of the block, in units of one market event. */
  readonly weight: number
  /** Trades that repeat trades of a reverted block unchanged; null: no repeats. */
  repeats: Map<TradeEvent, RepeatedEvent> | null = null
  /**
   * Pair news and curve steps that repeat those of a reverted block, by index; null: no repeats.
   */
  repeatedNews: Map<number, RepeatedEvent> | null = null
  /**
   * Facts of pairs that the block created. The engine forgets these pairs if the block is reverted.
   */
  readonly createdPairs = new Map<number, PairFacts>()
  /**
   * Facts of tokens that the block created. The engine forgets these tokens if the block is
   * reverted.
   */
  readonly createdTokens = new Map<number, TokenFacts>()
  readonly #prefix: string
  #tradesOfPair: Map<number, TradeEvent[]> | null = null
  #holdersOfToken: Map<number, SupplyEvent> | null = null

  constructor({ seq, ref, receivedMs, events }: RecentBlockParts) {
    this.seq = seq
    this.ref = ref
    this.parent = { number: ref.parentNumber, hash: ref.parentHash }
    this.receivedMs = receivedMs
    this.events = events
    this.weight = weightOf(events)
    this.#prefix = `${ref.number}-${hash8Of(ref.hash)}-`
  }

  /** Cursors and times of the push with this event index. */
  positionOf(index: number): PushPosition {
    return this.#pushPosition(this.#prefix + index, this.#cursorBefore(index))
  }

  /** Cursors and times of the retraction of that push. Its cursor is the one before the event. */
  retractedPositionOf(index: number): PushPosition {
    return this.#pushPosition(this.#cursorBefore(index), this.#prefix + index)
  }

  /** Cursors and times of pushes about the block as a whole. */
  endPosition(): PushPosition {
    return this.#pushPosition(this.#prefix + this.#lastIndex(), this.#cursorBefore(0))
  }

  /** Trades of the block by pair, in block order. */
  trades(): ReadonlyMap<number, readonly TradeEvent[]> {
    if (this.#tradesOfPair !== null) return this.#tradesOfPair
    this.#tradesOfPair = new Map()
    for (const event of this.events) {
      if (event.type !== 'swap' && event.type !== 'liquidity') continue
      const { pairId } = tradeDataOf(event)
      const trades = this.#tradesOfPair.get(pairId)
      if (trades === undefined) this.#tradesOfPair.set(pairId, [event])
      else trades.push(event)
    }
    return this.#tradesOfPair
  }

  /** Pair news of the block, as `new_pairs` pushes them. */
  pairNews(): PairMilestone[] {
    return pairMilestonesOf(this.events)
  }

  /**
   * Bonding-curve steps of the block, which `launches` pushes. Their indexes follow those of the
   * pair news.
   */
  curveSteps(): CurveStepEvent[] {
    return this.events.filter((event) => event.type === 'curveStep')
  }

  /** Supply events that change a holder count, by token, as `holders` pushes them. */
  holderChanges(): ReadonlyMap<number, SupplyEvent> {
    if (this.#holdersOfToken !== null) return this.#holdersOfToken
    this.#holdersOfToken = new Map()
    for (const event of this.events)
      if (event.type === 'supply' && changesHolderCount(event))
        this.#holdersOfToken.set(event.supply.tokenId, event)
    return this.#holdersOfToken
  }

  #pushPosition(cursor: string, cursorBefore: string): PushPosition {
    return { cursor, cursorBefore, blockTimeS: this.ref.timeS, receivedMs: this.receivedMs }
  }

  #cursorBefore(index: number): string {
    return index > 0 ? this.#prefix + (index - 1) : formatCursor(this.parent, blockEndIndex)
  }

  /**
   * Highest index of any event. Trades and pair news are counted separately, and a client that has
   * seen the block has seen both.
   */
  #lastIndex(): number {
    const last = this.events.findLast(({ type }) => type === 'swap' || type === 'liquidity')
    const lastTrade = last === undefined ? 0 : tradeDataOf(last as TradeEvent).index
    return Math.max(lastTrade, this.pairNews().length + this.curveSteps().length - 1)
  }
}

// A row of an ended kline takes 136 bytes, an event about 600.
const klineRowWeight = 0.25

function weightOf(events: readonly MarketEvent[]): number {
  const ended = events.find((event) => event.type === 'endedKlines')
  return events.length + (ended?.count ?? 0) * klineRowWeight
}

export function changesHolderCount({ supply, holdersBefore }: SupplyEvent): boolean {
  return supply.holders !== holdersBefore
}

export function tradeDataOf(event: TradeEvent): SwapEvent['swap'] | LiquidityEvent['liquidity'] {
  return event.type === 'swap' ? event.swap : event.liquidity
}
