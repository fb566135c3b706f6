import { strict as assert } from 'node:assert'
import { currentKline } from '../../../model/klines/currentKline.ts'
import {
  endedKlineColumn as column,
  endedKlinesOf,
  klineRowWidth,
  readKlineRow,
} from '../../../model/klines/endedKlines.ts'
import {
  type Kline,
  klineIntervalNames,
  klineIntervalsS,
  klineStartS,
} from '../../../model/klines/kline.ts'
import type {
  EndedKlinesEvent,
  MainPairEvent,
  OpenKlinesEvent,
} from '../../../model/marketEvent.ts'
import type { UsdNativePrice } from '../../../model/price.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import { AddressIndex } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { klineListParams, klineParams } from '../params/topicParams.ts'
import { PublishScope } from '../publishScope.ts'
import type { ReplayParts, TopicReplay } from '../replay/replaySource.ts'
import type { ChainTopic, Topic } from '../topic.ts'
import {
  hasUntradedPrice,
  KlineChannel,
  klinePush,
  noPrice,
  type PairChannels,
  retractKline,
  reviseKline,
  sendOpenKline,
} from './klineChannel.ts'
import { type MainPairSwitch, mainPairSwitchPush } from './mainPairSwitch.ts'

/**
 * Topics `kline` and `multi_kline`: a pair's klines after each block, closed at the current price.
 */
export const klineTopic: Topic = {
  variants: [
    { name: 'kline', params: klineParams },
    { name: 'multi_kline', params: klineListParams },
  ],
  open:
    ({ clock }) =>
    (market) =>
      new KlineTopic(market, clock),
}

class KlineTopic implements ChainTopic {
  readonly publish = {
    endedKlines: (scope: PublishScope, event: EndedKlinesEvent) => this.#publishEnded(scope, event),
    openKlines: (scope: PublishScope, { pairId }: OpenKlinesEvent) =>
      this.#publishOpen(scope, pairId),
    mainPair: (scope: PublishScope, { tokenId, oldPairId, newPairId }: MainPairEvent) =>
      this.#publishSwitch(scope, { tokenId, old: scope.market.facts.get(oldPairId), newPairId }),
  }
  readonly retract = {
    endedKlines: (_: PublishScope, event: EndedKlinesEvent) => this.#reopen(event),
  }
  readonly indexes: readonly AddressIndex<PairChannels>[]
  readonly #index: AddressIndex<PairChannels>
  readonly #market: ChainMarket
  readonly #clock: Clock
  /** Klines that are open again, because the block that ended them was reverted. */
  #reopened: { channel: KlineChannel; pairId: number; interval: number }[] = []
  /** Pairs whose open klines were already pushed for the current entry. */
  readonly #sent = new Set<number>()

  constructor(market: ChainMarket, clock: Clock) {
    this.#market = market
    this.#clock = clock
    this.#index = new AddressIndex(market, () => ({
      channels: klineIntervalNames.map(() => null),
      price: noPrice,
      hasKlineWithoutTrades: false,
    }))
    this.indexes = [this.#index]
  }

  isEmpty(): boolean {
    return this.#index.size === 0
  }

  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    const isFirst = this.#index.find(target.address) === undefined
    const { pairId, value } = this.#index.findOrAdd(target.address)
    if (isFirst) value.price = this.#priceOf(pairId)
    const interval = intervalOf(target)
    value.channels[interval] ??= new KlineChannel()
    value.channels[interval].add(subscriber, fromSeq, this.#market.recent.seq)
  }

  leave(target: ItemTarget, subscriber: Subscriber): void {
    const entry = this.#index.find(target.address)
    const channel = entry?.value.channels[intervalOf(target)]
    if (entry === undefined || !channel) return
    channel.delete(subscriber)
    if (channel.size === 0) entry.value.channels[intervalOf(target)] = null
    if (entry.value.channels.every((each) => each === null)) this.#index.delete(entry)
  }

  channels(): KlineChannel[] {
    return Array.from(this.#index.entries()).flatMap(({ value }) =>
      value.channels.filter((channel) => channel !== null),
    )
  }

  clearIds(isReplaced: boolean): void {
    if (isReplaced) for (const channel of this.channels()) channel.clear()
  }

  replay(parts: ReplayParts): TopicReplay {
    return {
      snapshot: async () => this.#sendKlines(parts, Number.POSITIVE_INFINITY, []),
      resume: ({ timeS }) => this.#resume(parts, timeS),
    }
  }

  afterEvents(scope: PublishScope, orphan: OrphanBlock | null): void {
    this.#publishMovedPrices(scope)
    for (const { channel, pairId, interval } of this.#reopened) {
      // Open klines of pairs in `sent` were already pushed for this entry.
      const open = this.#sent.has(pairId) ? null : this.#openKline(pairId, interval)
      if (open === null) continue
      channel.lastPushed = open
      const mark = { revision: channel.revisionOf(open.startS), isFinal: false }
      channel.sendWithRevisions(klinePush(scope, { pairId, interval, kline: open }, mark))
    }
    this.#reopened = []
    this.#sent.clear()
    if (orphan !== null) this.#publishReversedSwitches(scope, orphan)
  }

  reloaded(scope: PublishScope): void {
    for (const { pairId, value } of this.#index.entries()) {
      value.price = this.#priceOf(pairId)
      if (pairId >= 0) this.#publishOpen(scope, pairId)
    }
    this.#sent.clear()
  }

  /**
   * Pushes klines of pairs whose price moved without a trade, with their quote token's rate.
   * Compares only subscribed pairs.
   */
  #publishMovedPrices(scope: PublishScope): void {
    for (const { pairId, value } of this.#index.entries()) {
      if (pairId >= 0 && value.hasKlineWithoutTrades) this.#retractUntraded(scope, pairId, value)
      const price = this.#priceOf(pairId)
      const isSame = price.usd === value.price.usd && price.native === value.price.native
      value.price = price
      if (!isSame && !this.#sent.has(pairId)) this.#publishOpen(scope, pairId)
    }
  }

  /**
   * Retracts an open kline without trades when its bucket ends, because closed klines contain only
   * trades.
   */
  #retractUntraded(scope: PublishScope, pairId: number, value: PairChannels): void {
    value.hasKlineWithoutTrades = false
    value.channels.forEach((channel, interval) => {
      if (channel?.lastPushed?.count !== 0) return
      if (channel.lastPushed.startS === this.#startNowS(interval))
        value.hasKlineWithoutTrades = true
      else retractKline(scope, channel, { pairId, interval, kline: channel.lastPushed })
    })
  }

  #priceOf(pairId: number): Readonly<UsdNativePrice> {
    return pairId < 0 ? noPrice : this.#market.chain.reads.pairPrice(pairId)
  }

  /** Pushes the open klines of a pair as the current log entry left them. */
  #publishOpen(scope: PublishScope, pairId: number): void {
    this.#sent.add(pairId)
    const value = this.#index.findByPair(pairId)?.value
    if (value === undefined) return
    value.channels.forEach((channel, interval) => {
      if (channel === null) return
      const open = this.#openKline(pairId, interval)
      if (scope.isRevert) reviseKline(scope, channel, { pairId, interval, now: open })
      if (open === null) return
      const { lastPushed } = channel
      if (lastPushed?.count === 0 && lastPushed.startS !== open.startS)
        retractKline(scope, channel, { pairId, interval, kline: lastPushed })
      channel.lastPushed = open
      if (open.count === 0) value.hasKlineWithoutTrades = true
      sendOpenKline(scope, channel, { pairId, interval, kline: open })
    })
  }

  /**
   * Pushes ended klines, which contain only trades. Subscribers with revisions get all of them,
   * others only a kline that was last pushed with a price after its last trade.
   */
  #publishEnded(scope: PublishScope, { count, rows }: EndedKlinesEvent): void {
    for (let at = 0; at < count * klineRowWidth; at += klineRowWidth) {
      const pairId = rows[at + column.pairId]!
      const interval = rows[at + column.interval]!
      const channel = this.#index.findByPair(pairId)?.value.channels[interval]
      if (!channel) continue
      const ended = readKlineRow(rows, at)
      if (
        channel.hasWithoutRevisions &&
        channel.lastPushed?.startS === ended.startS &&
        hasUntradedPrice(channel.lastPushed, ended)
      )
        channel.sendWithoutRevisions(klinePush(scope, { pairId, interval, kline: ended }, null))
      if (!channel.hasRevisions) continue
      const mark = { revision: channel.revisionOf(ended.startS), isFinal: true }
      channel.sendWithRevisions(klinePush(scope, { pairId, interval, kline: ended }, mark))
    }
  }

  /** Marks klines as open again, after a revert of the block that had ended them. */
  #reopen({ count, rows }: EndedKlinesEvent): void {
    for (let at = 0; at < count * klineRowWidth; at += klineRowWidth) {
      const pairId = rows[at + column.pairId]!
      const interval = rows[at + column.interval]!
      const channel = this.#index.findByPair(pairId)?.value.channels[interval]
      if (channel?.hasRevisions !== true) continue
      channel.addRevision(rows[at + column.startS]!)
      this.#reopened.push({ channel, pairId, interval })
    }
  }

  /** Sends a main-pair switch once to each kline subscription of the old or new main pair. */
  #publishSwitch({ market, place }: PublishScope, change: MainPairSwitch): void {
    const addresses = [change.old.address, market.facts.get(change.newPairId).address]
    const channels = addresses.flatMap((address) =>
      (this.#index.find(address)?.value.channels ?? []).filter((channel) => channel !== null),
    )
    if (channels.length === 0) return
    const push = mainPairSwitchPush(market, change, place)
    for (const channel of channels) channel.send(push)
  }

  /**
   * Pushes the main-pair switches of a reverted block in reverse. The pair left by such a switch
   * may not exist any more.
   */
  #publishReversedSwitches(scope: PublishScope, { block, facts }: OrphanBlock): void {
    const { reads } = this.#market.chain
    for (const event of block.events.toReversed()) {
      if (event.type !== 'mainPair') continue
      const { tokenId, oldPairId, newPairId } = event
      const old = facts.get(newPairId)
      const isKnown = tokenId < reads.tokenCount() && oldPairId < reads.pairCount()
      if (old !== undefined && isKnown)
        this.#publishSwitch(scope, { tokenId, old, newPairId: oldPairId })
    }
  }

  /**
   * Sends every kline that a block after the cursor may have changed, once and in its current form:
   * ended klines from the store and memory, then the open one. Then the subscription is live.
   */
  async #resume(parts: ReplayParts, cursorTimeS: number): Promise<void> {
    const { market, target, history, readLimiter, limits } = parts
    const pairId = market.chain.reads.findPair(target.address)
    const interval = intervalOf(target)
    const fromS = klineStartS(cursorTimeS, klineIntervalsS[interval]!)
    const limit = limits.replayKlinesMax
    const stored =
      history === null || pairId === undefined
        ? []
        : await readLimiter.run(() =>
            history.loadKlines(market.chain, { pairId, interval, fromS, limit }),
          )
    if (!parts.isStopped()) this.#sendKlines(parts, fromS, stored)
  }

  #sendKlines(parts: ReplayParts, fromS: number, stored: readonly Kline[]): void {
    const { market, target, subscriber } = parts
    const pairId = market.chain.reads.findPair(target.address)
    const interval = intervalOf(target)
    parts.join(market.recent.seq)
    if (pairId === undefined) return
    const ended = new Map(stored.map((one) => [one.startS, one]))
    for (const one of endedInMemory(market, pairId, interval))
      if (one.startS >= fromS) ended.set(one.startS, one)
    const place = market.headPosition()
    const scope = new PublishScope(market, this.#clock.nowMs(), { windowEnd: 'now', place })
    const open = this.#openKline(pairId, interval)
    if (open !== null) ended.delete(open.startS)
    const value = this.#index.find(target.address)?.value
    const channel = value?.channels[interval]
    const send = (one: Kline, isFinal: boolean) => {
      const revision = channel?.revisionOf(one.startS) ?? 0
      const mark = subscriber.options.revisions ? { revision, isFinal } : null
      subscriber.send(klinePush(scope, { pairId, interval, kline: one }, mark))
    }
    for (const one of [...ended.values()].sort((a, b) => a.startS - b.startS)) send(one, true)
    if (open === null) return
    if (channel) channel.lastPushed = open
    if (value && open.count === 0) value.hasKlineWithoutTrades = true
    send(open, false)
  }

  #openKline(pairId: number, interval: number): Kline | null {
    const { reads } = this.#market.chain
    const startS = this.#startNowS(interval)
    const traded = reads.openKline(pairId, interval)
    const prices = { lastClose: reads.lastClose(pairId), current: reads.pairPrice(pairId) }
    return currentKline({ startS, traded, ...prices }) ?? traded
  }

  #startNowS(interval: number): number {
    return klineStartS(this.#market.chain.reads.head()?.timeS ?? 0, klineIntervalsS[interval]!)
  }
}

function* endedInMemory(market: ChainMarket, pairId: number, interval: number) {
  for (const block of market.recent.blocksFrom(0))
    for (const event of block.events)
      if (event.type === 'endedKlines') yield* endedKlinesOf(event, pairId, interval)
}

function intervalOf({ interval }: ItemTarget): number {
  assert(interval !== null, 'a kline has an interval')
  return klineIntervalNames.indexOf(interval)
}
