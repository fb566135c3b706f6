import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import { endIndex, formatCursor } from './cursor.ts'
import type { Subscriber } from './feed.ts'
import type { FeedHistory, StoredTrade } from './feedHistory.ts'
import type { FeedLimits } from './feedLimits.ts'
import type { ItemTarget } from './itemKey.ts'
import { type Place, placeIn } from './locateCursor.ts'
import type { PairFacts } from './pairFacts.ts'
import type { ReadSlots } from './readSlots.ts'
import { originOf, type TradeEvent } from './recentBlock.ts'
import type { OrphanBlock } from './recentBlocks.ts'
import type { ResultMark } from './swapPush.ts'
import type { PushPlace } from './textPush.ts'
import { type PlacedTrade, tradePush } from './tradePush.ts'
import { orphanTradesOf, pairIdsOf, type TradeTopic, tradesOf } from './tradeSource.ts'

export type TradeReplayParts = {
  market: ChainMarket
  target: ItemTarget & { topic: TradeTopic }
  subscriber: Subscriber
  history: FeedHistory | null
  slots: ReadSlots
  limits: FeedLimits
  clock: Clock
  /** Makes the subscription live. Called in the same breath as the last of what was missed is sent. */
  join(joinedSeq: number): void
  /** The subscription was ended meanwhile: nothing more may be sent. */
  isStopped(): boolean
}

/** What one subscription missed, sent in parts until it is where the market is. */
export class TradeReplay {
  /** Of the newest block before what was sent. */
  private joinedSeq: number
  private readonly parts: TradeReplayParts

  constructor(parts: TradeReplayParts) {
    this.parts = parts
    this.joinedSeq = parts.market.recent.seq
  }

  isInMemory({ number, hash }: Place): boolean {
    const { recent } = this.parts.market
    return recent.find(number)?.ref.hash === hash || recent.orphan(hash) !== undefined
  }

  /** The next part from memory; null when that was the last, and the subscription is live. */
  fromMemory(place: Place): Place | null {
    const { market, target, limits } = this.parts
    const { recent } = market
    const start = recent.find(place.number)
    if (start?.ref.hash !== place.hash) return this.retract(recent.orphan(place.hash)!, place)
    let left = limits.replayPageMax
    let { index } = place
    this.joinedSeq = Math.min(this.joinedSeq, start.seq - 1)
    for (const block of recent.from(place.number)) {
      for (const event of tradesOf(market, target, block)) {
        const at = originOf(event).index
        if (at <= index) continue
        if (left === 0) return placeIn(block, index)
        left -= 1
        const facts = market.facts.get(originOf(event).pairId)
        this.send(facts, event, block.ref, block.place(at), '')
        index = at
      }
      index = -1
    }
    this.parts.join(this.joinedSeq)
    return null
  }

  /** The next part from the store, which ends where memory begins; null when there is no more of it. */
  async fromStore(place: Place, history: FeedHistory): Promise<Place | null> {
    const { market, target, limits, slots } = this.parts
    const { recent, chain } = market
    const { first } = recent
    if (first !== undefined && first.ref.parentHash === place.hash && place.index === endIndex)
      return placeIn(first, -1)
    const toNumber = first === undefined ? chain.reads.head()!.number : first.ref.number - 1
    const { rows, refs } = await slots.run(async () => {
      const found = await history.loadTrades(chain, {
        kind: target.topic === 'liq' ? 'liquidity' : 'swap',
        pairIds: pairIdsOf(market, target),
        ...{ after: place, toNumber, limit: limits.replayPageMax, order: 'asc' },
      })
      const numbers = [...new Set(found.map(({ blockNumber }) => blockNumber))]
      return { rows: found, refs: await history.findBlocks(chain, numbers) }
    })
    if (this.parts.isStopped()) return null
    this.joinedSeq = 0
    for (const row of rows) this.sendStored(row, placeOfStored(row, refs.get(row.blockNumber)), '')
    const last = rows.at(-1)
    if (last !== undefined && rows.length >= limits.replayPageMax) {
      const { blockNumber: number, timeS, event } = last
      return { number, timeS, hash: refs.get(number)?.hash ?? '', index: originOf(event).index }
    }
    return first === undefined ? null : placeIn(first, -1)
  }

  /** All that is stored was sent: live, or on with the blocks that came meanwhile. */
  afterStore(): Place | null {
    const { first } = this.parts.market.recent
    if (first !== undefined) return placeIn(first, -1)
    this.parts.join(this.joinedSeq)
    return null
  }

  /** The newest trades of the item, oldest first; asks the store only where memory has too few. */
  async snapshot(): Promise<void> {
    const { market, target, limits, history, slots } = this.parts
    const max = limits.snapshotEventsMax
    const { chain, recent } = market
    const toNumber =
      recent.first === undefined ? chain.reads.head()?.number : recent.first.ref.number - 1
    if (history === null || toNumber === undefined || this.newest(max).length >= max)
      return this.sendNewest(max, [], new Map())
    const { rows, refs } = await slots.run(async () => {
      const found = await history.loadTrades(chain, {
        kind: target.topic === 'liq' ? 'liquidity' : 'swap',
        pairIds: pairIdsOf(market, target),
        after: { number: -1, index: -1, timeS: 0 },
        ...{ toNumber, limit: max, order: 'desc' },
      })
      const numbers = [...new Set(found.map(({ blockNumber }) => blockNumber))]
      return { rows: found, refs: await history.findBlocks(chain, numbers) }
    })
    if (this.parts.isStopped()) return
    // Memory may have let go of blocks meanwhile: then the rows do not reach it any more.
    if (recent.first !== undefined && recent.first.ref.number - 1 > toNumber) return this.snapshot()
    this.sendNewest(max, rows.toReversed(), refs)
  }

  private sendNewest(
    max: number,
    stored: readonly StoredTrade[],
    refs: ReadonlyMap<number, { number: number; hash: string; parentHash: string }>,
  ): void {
    const inMemory = this.newest(max)
    const fromStore = inMemory.length >= max ? [] : stored.slice(inMemory.length - max)
    for (const row of fromStore)
      this.sendStored(row, placeOfStored(row, refs.get(row.blockNumber)), '"snapshot":true,')
    for (const { block, event } of inMemory) {
      const { pairId, index } = originOf(event)
      const facts = this.parts.market.facts.get(pairId)
      this.send(facts, event, block.ref, block.place(index), '"snapshot":true,')
    }
    const oldest = inMemory[0]?.block.seq
    if (oldest !== undefined) this.joinedSeq = Math.min(this.joinedSeq, oldest - 1)
    this.parts.join(this.joinedSeq)
  }

  private newest(max: number) {
    const { market, target } = this.parts
    const found: { block: OrphanBlock['block']; event: TradeEvent }[] = []
    for (const block of market.recent.newestFirst()) {
      for (const event of tradesOf(market, target, block).toReversed()) {
        found.push({ block, event })
        if (found.length === max) return found.reverse()
      }
    }
    return found.reverse()
  }

  /** Takes back what the reader has of blocks that are gone, newest first; gives where it stands then. */
  private retract(orphan: OrphanBlock, from: Place): Place {
    const { recent } = this.parts.market
    let index = from.index
    let gone = orphan
    for (;;) {
      const { block } = gone
      for (const { event, pair } of orphanTradesOf(this.parts.target, gone)) {
        const at = originOf(event).index
        if (at <= index)
          this.send(pair, event, block.ref, block.retractedPlace(at), '"retracted":true,')
      }
      const { number, hash } = block.parent
      const isThere = recent.find(number)?.ref.hash === hash
      const before = isThere ? undefined : recent.orphan(hash)
      if (before === undefined) return { number, hash, index: endIndex, timeS: 0 }
      gone = before
      index = endIndex
    }
  }

  private sendStored(row: StoredTrade, place: PushPlace, mark: ResultMark): void {
    const { pairId } = originOf(row.event)
    const ref = { number: row.blockNumber, timeS: row.timeS }
    this.send(this.parts.market.facts.get(pairId), row.event, ref, place, mark)
  }

  private send(
    facts: PairFacts,
    event: TradeEvent,
    { number: blockNumber, timeS }: { number: number; timeS: number },
    place: PushPlace,
    mark: ResultMark,
  ): void {
    const { target, subscriber, clock } = this.parts
    const sentMs = clock.nowMs()
    const trade: PlacedTrade = { facts, event, blockNumber, timeS, place, sentMs, mark }
    subscriber.send(tradePush(target.topic, trade))
  }
}

type StoredRef = { number: number; hash: string; parentHash: string }

/** Beyond the log's retention a block's hash is not known, and then there is no cursor. */
function placeOfStored({ timeS, event }: StoredTrade, ref: StoredRef | undefined): PushPlace {
  const { index } = originOf(event)
  if (ref === undefined)
    return { cursor: '', cursorBefore: '', blockTimeS: timeS, receivedMs: null }
  const parent = { number: ref.number - 1, hash: ref.parentHash }
  return {
    cursor: formatCursor(ref, index),
    cursorBefore: index > 0 ? formatCursor(ref, index - 1) : formatCursor(parent, endIndex),
    blockTimeS: timeS,
    receivedMs: null,
  }
}
