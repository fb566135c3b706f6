import { strict as assert } from 'node:assert'
import { type Interval, pushInterval } from '@chaintape/protocol'
import {
  endedKlineColumn as column,
  endedKlineColumns,
  endedKlinesOf,
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
import type { Clock } from '../../gatewayChain.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import { AddressIndex } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { Channel } from '../channel.ts'
import { EntryScope } from '../entryScope.ts'
import type { Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { klineListParams, klineParams } from '../params/topicParams.ts'
import { type Push, TextPush } from '../push.ts'
import type { ReplayParts, TopicReplay } from '../replay/replaySource.ts'
import type { ChainTopic, Topic } from '../topic.ts'
import { type KlineMark, klineDayFields, klineResult } from './klineTexts.ts'
import { type MainPairSwitch, switchPush } from './mainPairSwitch.ts'

/** Klines of a pair, as blocks leave them. */
export const kline: Topic = {
  words: [
    { name: 'kline', params: klineParams },
    { name: 'multi_kline', params: klineListParams },
  ],
  open:
    ({ clock }) =>
    (market) =>
      new KlineTopic(market, clock),
}

// Corrected klines whose count is remembered: a reorg spans few of them.
const revisionsMax = 64

/** One interval of one pair. */
class KlineChannel extends Channel {
  /** As it was last pushed. */
  last: Kline | null = null
  /** How often a reorg changed a kline, by its start. Only those that were. */
  private revisions: Map<number, number> | null = null

  revisionOf(startS: number): number {
    return this.revisions?.get(startS) ?? 0
  }

  addRevision(startS: number): number {
    const count = this.revisionOf(startS) + 1
    this.revisions ??= new Map()
    this.revisions.set(startS, count)
    if (this.revisions.size > revisionsMax)
      this.revisions.delete(this.revisions.keys().next().value!)
    return count
  }

  forget(): void {
    this.last = null
    this.revisions = null
  }
}

/** By interval. */
type KlineChannels = (KlineChannel | null)[]

type KlineToPush = { pairId: number; interval: number; kline: Kline }

class KlineTopic implements ChainTopic {
  readonly publish = {
    endedKlines: (scope: EntryScope, event: EndedKlinesEvent) => this.publishEnded(scope, event),
    openKlines: (scope: EntryScope, { pairId }: OpenKlinesEvent) => this.publishOpen(scope, pairId),
    mainPair: (scope: EntryScope, { tokenId, oldPairId, newPairId }: MainPairEvent) =>
      this.publishSwitch(scope, { tokenId, old: scope.market.facts.get(oldPairId), newPairId }),
  }
  readonly retract = {
    endedKlines: (_: EntryScope, event: EndedKlinesEvent) => this.reopen(event),
  }
  readonly indexes: readonly AddressIndex<KlineChannels>[]
  private readonly index: AddressIndex<KlineChannels>
  private readonly market: ChainMarket
  private readonly clock: Clock
  /** Klines that a reverted block had ended. */
  private reopened: { channel: KlineChannel; pairId: number; interval: number }[] = []
  /** Pairs that it traded. */
  private readonly corrected = new Set<number>()

  constructor(market: ChainMarket, clock: Clock) {
    this.market = market
    this.clock = clock
    this.index = new AddressIndex(market, () => klineIntervalNames.map(() => null))
    this.indexes = [this.index]
  }

  isEmpty(): boolean {
    return this.index.size === 0
  }

  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    const { value } = this.index.open(target.address)
    const interval = intervalOf(target)
    value[interval] ??= new KlineChannel()
    value[interval].add(subscriber, fromSeq, this.market.recent.seq)
  }

  leave(target: ItemTarget, subscriber: Subscriber): void {
    const entry = this.index.find(target.address)
    const channel = entry?.value[intervalOf(target)]
    if (entry === undefined || !channel) return
    channel.delete(subscriber)
    if (channel.size === 0) entry.value[intervalOf(target)] = null
    if (entry.value.every((one) => one === null)) this.index.delete(entry)
  }

  channels(): KlineChannel[] {
    return Array.from(this.index.entries()).flatMap(({ value }) =>
      value.filter((channel) => channel !== null),
    )
  }

  forget(isReplaced: boolean): void {
    if (isReplaced) for (const channel of this.channels()) channel.forget()
  }

  replay(parts: ReplayParts): TopicReplay {
    return {
      snapshot: async () => this.sendKlines(parts, Number.POSITIVE_INFINITY, []),
      resume: ({ timeS }) => this.resume(parts, timeS),
    }
  }

  end(scope: EntryScope, orphan: OrphanBlock | null): void {
    for (const { channel, pairId, interval } of this.reopened) {
      // Of the others it was said with what the block traded.
      const open = this.corrected.has(pairId) ? null : this.openKline(pairId, interval)
      if (open === null) continue
      channel.last = open
      const mark = { revision: channel.revisionOf(open.startS), isFinal: false }
      channel.sendRevision(klinePush(scope, { pairId, interval, kline: open }, mark))
    }
    this.reopened = []
    this.corrected.clear()
    if (orphan !== null) this.publishSwitchesBack(scope, orphan)
  }

  rewound(scope: EntryScope): void {
    for (const { pairId } of this.index.entries()) if (pairId >= 0) this.publishOpen(scope, pairId)
  }

  /** The open klines of a pair as the entry left them. */
  private publishOpen(scope: EntryScope, pairId: number): void {
    if (scope.isRevert) this.corrected.add(pairId)
    this.index.pair(pairId)?.value.forEach((channel, interval) => {
      if (channel === null) return
      const open = this.openKline(pairId, interval)
      if (scope.isRevert) revise(scope, channel, { pairId, interval, now: open })
      if (open === null) return
      channel.last = open
      sendOpen(scope, channel, { pairId, interval, kline: open })
    })
  }

  /** Klines have ended: this is sent to those who asked for revisions. */
  private publishEnded(scope: EntryScope, { count, rows }: EndedKlinesEvent): void {
    for (let at = 0; at < count * endedKlineColumns; at += endedKlineColumns) {
      const pairId = rows[at + column.pairId]!
      const interval = rows[at + column.interval]!
      const channel = this.index.pair(pairId)?.value[interval]
      if (channel?.hasRevisions !== true) continue
      const ended = readKlineRow(rows, at)
      const mark = { revision: channel.revisionOf(ended.startS), isFinal: true }
      channel.sendRevision(klinePush(scope, { pairId, interval, kline: ended }, mark))
    }
  }

  /** A block is gone that had ended klines: they are open again. */
  private reopen({ count, rows }: EndedKlinesEvent): void {
    for (let at = 0; at < count * endedKlineColumns; at += endedKlineColumns) {
      const pairId = rows[at + column.pairId]!
      const interval = rows[at + column.interval]!
      const channel = this.index.pair(pairId)?.value[interval]
      if (channel?.hasRevisions !== true) continue
      channel.addRevision(rows[at + column.startS]!)
      this.reopened.push({ channel, pairId, interval })
    }
  }

  /** To each subscription of the old or the new main pair, once. */
  private publishSwitch({ market, place }: EntryScope, change: MainPairSwitch): void {
    const addresses = [change.old.address, market.facts.get(change.newPairId).address]
    const channels = addresses.flatMap((address) =>
      (this.index.find(address)?.value ?? []).filter((channel) => channel !== null),
    )
    if (channels.length === 0) return
    const push = switchPush(market, change, place)
    for (const channel of channels) channel.send(push)
  }

  /** Switches of a reverted block, newest first; the pair that is left again may be gone with it. */
  private publishSwitchesBack(scope: EntryScope, { block, facts }: OrphanBlock): void {
    const { reads } = this.market.chain
    for (const event of block.events.toReversed()) {
      if (event.type !== 'mainPair') continue
      const { tokenId, oldPairId, newPairId } = event
      const old = facts.get(newPairId)
      const isKnown = tokenId < reads.tokenCount() && oldPairId < reads.pairCount()
      if (old !== undefined && isKnown)
        this.publishSwitch(scope, { tokenId, old, newPairId: oldPairId })
    }
  }

  /**
   * Every kline that a block after the cursor may have changed, each once and as it is now: ended ones from the store
   * and from memory, then the open one. Then live.
   */
  private async resume(parts: ReplayParts, cursorTimeS: number): Promise<void> {
    const { market, target, history, slots, limits } = parts
    const pairId = market.chain.reads.findPair(target.address)
    const interval = intervalOf(target)
    const fromS = klineStartS(cursorTimeS, klineIntervalsS[interval]!)
    const limit = limits.replayKlinesMax
    const stored =
      history === null || pairId === undefined
        ? []
        : await slots.run(() =>
            history.loadKlines(market.chain, { pairId, interval, fromS, limit }),
          )
    if (!parts.isStopped()) this.sendKlines(parts, fromS, stored)
  }

  private sendKlines(parts: ReplayParts, fromS: number, stored: readonly Kline[]): void {
    const { market, target, subscriber } = parts
    const pairId = market.chain.reads.findPair(target.address)
    const interval = intervalOf(target)
    parts.join(market.recent.seq)
    if (pairId === undefined) return
    const ended = new Map(stored.map((one) => [one.startS, one]))
    for (const one of endedInMemory(market, pairId, interval))
      if (one.startS >= fromS) ended.set(one.startS, one)
    const place = market.headPlace()
    const scope = new EntryScope(market, this.clock.nowMs(), { windowEnd: 'now', place })
    const open = this.openKline(pairId, interval)
    if (open !== null) ended.delete(open.startS)
    const channel = this.index.find(target.address)?.value[interval]
    const send = (one: Kline, isFinal: boolean) => {
      const revision = channel?.revisionOf(one.startS) ?? 0
      const mark = subscriber.options.revisions ? { revision, isFinal } : null
      subscriber.send(klinePush(scope, { pairId, interval, kline: one }, mark))
    }
    for (const one of [...ended.values()].sort((a, b) => a.startS - b.startS)) send(one, true)
    if (open === null) return
    if (channel) channel.last = open
    send(open, false)
  }

  private openKline(pairId: number, interval: number): Kline | null {
    return this.market.chain.reads.openKline(pairId, interval)
  }
}

function* endedInMemory(market: ChainMarket, pairId: number, interval: number) {
  for (const block of market.recent.from(0))
    for (const event of block.events)
      if (event.type === 'endedKlines') yield* endedKlinesOf(event, pairId, interval)
}

function intervalOf({ interval }: ItemTarget): number {
  assert(interval !== null, 'a kline has an interval')
  return klineIntervalNames.indexOf(interval)
}

function sendOpen(scope: EntryScope, channel: KlineChannel, open: KlineToPush): void {
  if (channel.hasPlain) channel.sendPlain(klinePush(scope, open, null))
  if (!channel.hasRevisions) return
  const revision = channel.revisionOf(open.kline.startS)
  channel.sendRevision(klinePush(scope, open, { revision, isFinal: false }))
}

/** A block is gone: what it said of the kline is corrected, and a kline that it opened never was. */
function revise(
  scope: EntryScope,
  channel: KlineChannel,
  { pairId, interval, now }: { pairId: number; interval: number; now: Kline | null },
): void {
  const { last } = channel
  if (last === null) return
  const revision = channel.addRevision(last.startS)
  if (now !== null && now.startS >= last.startS) return
  channel.last = now
  const mark = { revision, isFinal: false, isRetracted: true }
  channel.sendRevision(klinePush(scope, { pairId, interval, kline: last }, mark))
}

/** A kline of a pair; the newest of each bucket replaces those before it. */
function klinePush(
  scope: EntryScope,
  { pairId, interval, kline: pushed }: KlineToPush,
  mark: KlineMark | null,
): Push {
  const facts = scope.market.facts.get(pairId)
  const name: Interval = klineIntervalNames[interval]!
  const dayFields = scope.pairText(klineDayFields, pairId)
  return new TextPush({
    result: klineResult({ facts, interval: pushInterval(name), kline: pushed, dayFields, mark }),
    place: scope.place,
    sentMs: scope.sentMs,
    conflateKey: `kline:${facts.address}-${scope.market.name}:${name}:${pushed.startS}`,
  })
}
