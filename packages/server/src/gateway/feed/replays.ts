import type { ErrorCode } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import { type Cursor, parseCursor } from './cursor.ts'
import { EntryScope } from './entryScope.ts'
import { errorPush } from './errorPush.ts'
import type { Subscriber } from './feed.ts'
import type { FeedHistory } from './feedHistory.ts'
import type { FeedLimits } from './feedLimits.ts'
import { HeadWaits } from './headWaits.ts'
import type { ItemTarget } from './itemKey.ts'
import { replayKlines, sendOpenKline } from './klineReplay.ts'
import {
  type Located,
  lastCommonCursor,
  locateInMemory,
  locateInStore,
  type Place,
} from './locateCursor.ts'
import { newsPushes } from './publishNews.ts'
import { ReadSlots } from './readSlots.ts'
import { TradeReplay } from './tradeReplay.ts'
import { isTradeTopic } from './tradeSource.ts'

export type ReplaysOptions = {
  history: FeedHistory | null
  limits: FeedLimits
  clock: Clock
  logger: Logger
}

export type ReplayRequest = {
  market: ChainMarket
  target: ItemTarget
  subscriber: Subscriber
  /** Makes the subscription live. */
  join(joinedSeq: number): void
}

/** Brings subscriptions that ask for it to where the market is, and only then makes them live. */
export class Replays {
  private readonly options: ReplaysOptions
  private readonly slots: ReadSlots
  private readonly headWaits: HeadWaits
  /** Those that are not live yet. */
  private readonly running = new Set<Subscriber>()

  constructor(options: ReplaysOptions) {
    this.options = options
    this.slots = new ReadSlots(options.limits.historyReadsMax, options.limits.historyWaitsMax)
    this.headWaits = new HeadWaits(options.clock, options.limits)
  }

  start(request: ReplayRequest): void {
    const { market, target, subscriber } = request
    const { since, snapshot } = subscriber.options
    this.running.add(subscriber)
    const join = (joinedSeq: number) => {
      if (this.running.delete(subscriber)) request.join(joinedSeq)
    }
    const isStopped = () => !this.running.has(subscriber)
    const parts = {
      ...this.options,
      slots: this.slots,
      market,
      target,
      subscriber,
      join,
      isStopped,
    }
    const cursor = since === null ? null : parseCursor(since)
    if (cursor !== null) this.run(subscriber, () => this.resume(parts, cursor))
    else if (target.topic === 'new_pairs') sendNews(parts, null)
    else if (isTradeTopic(target.topic) && snapshot) {
      const replay = new TradeReplay({ ...parts, target: { ...target, topic: target.topic } })
      this.run(subscriber, () => replay.snapshot())
    } else sendOpenKline(parts)
  }

  /** A block was added to a market. */
  applied(market: ChainMarket): void {
    this.headWaits.applied(market)
  }

  tick(nowMs: number): void {
    this.headWaits.tick(nowMs)
  }

  stop(subscriber: Subscriber): void {
    this.running.delete(subscriber)
  }

  /** A failure ends the subscription, and says so. */
  private run(subscriber: Subscriber, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.running.delete(subscriber)) return
      this.options.logger.warn({ msg: 'Failed to resume a subscription', err: error })
      subscriber.send(
        errorPush('unavailable', 'The history cannot be read now; subscribe again later.', {
          ...{ cursor: subscriber.options.since, param: 'since' },
        }),
      )
    })
  }

  private async resume(parts: ReplayParts, cursor: Cursor): Promise<void> {
    const { market, target, subscriber } = parts
    const { history } = this.options
    let located: Located | null = locateInMemory(market, cursor)
    const isMissing = located !== null && 'fault' in located
    const reached = isMissing ? this.headWaits.until(market, cursor.number) : null
    if (reached !== null) {
      await reached
      located = locateInMemory(market, cursor)
    }
    if (located === null && history !== null)
      located = await this.slots.run(() => locateInStore(market, history, cursor))
    located ??= { fault: 'cursor_unknown' }
    if (!this.running.has(subscriber)) return
    if ('fault' in located) {
      const isOrphaned = located.fault === 'cursor_orphaned'
      const common = isOrphaned ? await lastCommonCursor(market, history, cursor.number) : null
      this.fail(subscriber, located.fault, common)
      return
    }
    const { place } = located
    if (target.topic === 'new_pairs') {
      if (market.recent.find(place.number)?.ref.hash === place.hash) sendNews(parts, place)
      else this.fail(subscriber, 'cursor_unknown', null)
    } else if (isTradeTopic(target.topic)) {
      const replay = new TradeReplay({ ...parts, target: { ...target, topic: target.topic } })
      await this.replayTrades(replay, subscriber, place)
    } else await replayKlines(parts, place.timeS)
  }

  private async replayTrades(
    replay: TradeReplay,
    subscriber: Subscriber,
    from: Place,
  ): Promise<void> {
    const { history } = this.options
    for (let place: Place | null = from; place !== null && this.running.has(subscriber); ) {
      if (replay.isInMemory(place)) place = replay.fromMemory(place)
      else if (history === null) return this.fail(subscriber, 'cursor_unknown', null)
      else place = (await replay.fromStore(place, history)) ?? replay.afterStore()
      if (place !== null) await subscriber.room?.()
    }
  }

  private fail(subscriber: Subscriber, code: ErrorCode, cursor: string | null): void {
    if (!this.running.delete(subscriber)) return
    subscriber.send(errorPush(code, faultTexts[code] ?? '', { cursor, param: 'since' }))
  }
}

type ReplayParts = ReplayRequest & ReplaysOptions & { slots: ReadSlots; isStopped(): boolean }

const faultTexts: Partial<Record<ErrorCode, string>> = {
  cursor_orphaned:
    'The block of this cursor is no longer part of the chain; drop what came after data.cursor and resume there.',
  cursor_unknown:
    'This cursor cannot be resumed from: it is too old, of another chain, or ahead of this server.',
}

/** Pairs that came after a place, or without one the newest, from memory; then live. */
function sendNews({ market, subscriber, clock, limits, join }: ReplayParts, place: Place | null) {
  const scope = new EntryScope(market, clock.nowMs(), 'now')
  const mark = place === null ? '"snapshot":true,' : ''
  const pushes = [...market.recent.from(place?.number ?? 0)].flatMap((block) =>
    newsPushes(scope, block, mark).slice(block.ref.number === place?.number ? place.index + 1 : 0),
  )
  for (const push of place === null ? pushes.slice(-limits.snapshotEventsMax) : pushes)
    subscriber.send(push)
  join(market.recent.seq)
}
