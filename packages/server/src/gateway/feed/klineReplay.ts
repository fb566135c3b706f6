import { strict as assert } from 'node:assert'
import { endedKlinesOf } from '../../model/endedKlines.ts'
import { type Kline, klineIntervalNames, klineIntervalsS, klineStartS } from '../../model/kline.ts'
import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import { EntryScope } from './entryScope.ts'
import type { Subscriber } from './feed.ts'
import type { FeedLimits } from './feedLimits.ts'
import type { ItemTarget } from './params/itemKey.ts'
import { klinePush } from './publishKlines.ts'
import type { FeedHistory } from './replay/feedHistory.ts'
import type { ReadSlots } from './replay/readSlots.ts'

export type KlineReplayParts = {
  market: ChainMarket
  target: ItemTarget
  subscriber: Subscriber
  history: FeedHistory | null
  slots: ReadSlots
  limits: FeedLimits
  clock: Clock
  join(joinedSeq: number): void
  isStopped(): boolean
}

/**
 * Every kline that a block after the cursor may have changed, each once and as it is now: ended ones from the store
 * and from memory, then the open one. Then live.
 */
export async function replayKlines(parts: KlineReplayParts, cursorTimeS: number): Promise<void> {
  const { market, target, history, slots, limits } = parts
  const pairId = market.chain.reads.findPair(target.address)
  const interval = intervalOf(target)
  const fromS = klineStartS(cursorTimeS, klineIntervalsS[interval]!)
  const stored =
    history === null || pairId === undefined
      ? []
      : await slots.run(() =>
          history.loadKlines(market.chain, {
            ...{ pairId, interval, fromS, limit: limits.replayKlinesMax },
          }),
        )
  if (!parts.isStopped()) sendKlines(parts, fromS, stored)
}

/** The kline as it is now, if there is one, then live. */
export function sendOpenKline(parts: KlineReplayParts): void {
  sendKlines(parts, Number.POSITIVE_INFINITY, [])
}

function sendKlines(parts: KlineReplayParts, fromS: number, stored: readonly Kline[]): void {
  const { market, target, subscriber, clock } = parts
  const pairId = market.chain.reads.findPair(target.address)
  const interval = intervalOf(target)
  parts.join(market.recent.seq)
  if (pairId === undefined) return
  const ended = new Map(stored.map((kline) => [kline.startS, kline]))
  for (const kline of endedInMemory(market, pairId, interval))
    if (kline.startS >= fromS) ended.set(kline.startS, kline)
  const scope = new EntryScope(market, clock.nowMs(), 'now')
  const place = market.headPlace()
  const open = scope.openKline(pairId, interval)
  if (open !== null) ended.delete(open.startS)
  const topic = market.topics.find(target.address)?.kline(klineIntervalNames[interval]!)
  const send = (kline: Kline, isFinal: boolean) => {
    const revision = topic?.revisions.get(kline.startS) ?? 0
    const mark = subscriber.options.revisions ? { revision, isFinal } : null
    subscriber.send(klinePush(scope, { pairId, interval, kline }, place, mark))
  }
  for (const kline of [...ended.values()].sort((a, b) => a.startS - b.startS)) send(kline, true)
  if (open === null) return
  if (topic !== undefined) topic.last = open
  send(open, false)
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
