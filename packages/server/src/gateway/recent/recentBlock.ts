import type { BlockRef } from '../../model/block.ts'
import type {
  CurveStepEvent,
  LiquidityEvent,
  MarketEvent,
  SupplyEvent,
  SwapEvent,
} from '../../model/marketEvent.ts'
import { type PairNews, pairNewsOf } from '../../model/pairNews.ts'
import type { PairFacts, TokenFacts } from '../feed/pairFacts.ts'
import type { PushPlace } from '../feed/push.ts'
import { endIndex, formatCursor, hash8Of } from '../feed/replay/cursor.ts'

/** What `tx`, `multi_tx` and `liq` carry. */
export type TradeEvent = SwapEvent | LiquidityEvent

type RecentBlockParts = {
  /** Its place in the chain's log, or further on where another chain had the name before: it always rises. */
  seq: number
  ref: BlockRef
  receivedMs: number
  events: readonly MarketEvent[]
}

/** Where a push that comes again was before: the `seq` of its block, and the one at which that was reverted. */
export type Repeat = { seq: number; takenSeq: number }

/** A block as subscribers may still ask for it. */
export class RecentBlock {
  readonly seq: number
  readonly ref: BlockRef
  readonly parent: { number: number; hash: string }
  readonly receivedMs: number
  readonly events: readonly MarketEvent[]
  /** How much memory it takes, in events. */
  readonly weight: number
  /** Trades that were in a reverted block and are here again unchanged; null: there is none. */
  repeats: Map<TradeEvent, Repeat> | null = null
  /** News and steps of curves that were in a reverted block, by their index; null: there is none. */
  repeatedNews: Map<number, Repeat> | null = null
  /** Pairs that would be unknown if the block were reverted. */
  readonly born = new Map<number, PairFacts>()
  /** Tokens that would be. */
  readonly bornTokens = new Map<number, TokenFacts>()
  private readonly prefix: string
  private tradesOfPair: Map<number, TradeEvent[]> | null = null
  private holdersOfToken: Map<number, SupplyEvent> | null = null

  constructor({ seq, ref, receivedMs, events }: RecentBlockParts) {
    this.seq = seq
    this.ref = ref
    this.parent = { number: ref.parentNumber, hash: ref.parentHash }
    this.receivedMs = receivedMs
    this.events = events
    this.weight = weightOf(events)
    this.prefix = `${ref.number}-${hash8Of(ref.hash)}-`
  }

  /** Of the push with this index in the block. */
  place(index: number): PushPlace {
    return this.placeOf(this.prefix + index, this.cursorBefore(index))
  }

  /** Of the message that retracts that push: who has it is before the event again. */
  retractedPlace(index: number): PushPlace {
    return this.placeOf(this.cursorBefore(index), this.prefix + index)
  }

  /** Of pushes about the block as a whole. */
  endPlace(): PushPlace {
    return this.placeOf(this.prefix + this.lastIndex(), this.cursorBefore(0))
  }

  /** By pair, in block order. */
  trades(): ReadonlyMap<number, readonly TradeEvent[]> {
    if (this.tradesOfPair !== null) return this.tradesOfPair
    this.tradesOfPair = new Map()
    for (const event of this.events) {
      if (event.type !== 'swap' && event.type !== 'liquidity') continue
      const { pairId } = originOf(event)
      const trades = this.tradesOfPair.get(pairId)
      if (trades === undefined) this.tradesOfPair.set(pairId, [event])
      else trades.push(event)
    }
    return this.tradesOfPair
  }

  /** What `new_pairs` carries. */
  news(): PairNews[] {
    return pairNewsOf(this.events)
  }

  /** What `launches` carries beside the news; counted behind them. */
  curveSteps(): CurveStepEvent[] {
    return this.events.filter((event) => event.type === 'curveStep')
  }

  /** What `holders` carries: by token, where as many do not hold it as before. */
  holderChanges(): ReadonlyMap<number, SupplyEvent> {
    if (this.holdersOfToken !== null) return this.holdersOfToken
    this.holdersOfToken = new Map()
    for (const event of this.events)
      if (event.type === 'supply' && isHolderChange(event))
        this.holdersOfToken.set(event.supply.tokenId, event)
    return this.holdersOfToken
  }

  private placeOf(cursor: string, cursorBefore: string): PushPlace {
    return { cursor, cursorBefore, blockTimeS: this.ref.timeS, receivedMs: this.receivedMs }
  }

  private cursorBefore(index: number): string {
    return index > 0 ? this.prefix + (index - 1) : formatCursor(this.parent, endIndex)
  }

  /** Of whatever the block reports: trades and news are counted apart, and who has seen the block has seen both. */
  private lastIndex(): number {
    const last = this.events.findLast(({ type }) => type === 'swap' || type === 'liquidity')
    const lastTrade = last === undefined ? 0 : originOf(last as TradeEvent).index
    return Math.max(lastTrade, this.news().length + this.curveSteps().length - 1)
  }
}

// A row of an ended kline takes 136 bytes, an event about 600.
const klineRowWeight = 0.25

function weightOf(events: readonly MarketEvent[]): number {
  const ended = events.find((event) => event.type === 'endedKlines')
  return events.length + (ended?.count ?? 0) * klineRowWeight
}

export function isHolderChange({ supply, holdersBefore }: SupplyEvent): boolean {
  return supply.holders !== holdersBefore
}

export function originOf(event: TradeEvent): SwapEvent['swap'] | LiquidityEvent['liquidity'] {
  return event.type === 'swap' ? event.swap : event.liquidity
}
