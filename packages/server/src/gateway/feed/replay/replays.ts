import type { ErrorCode } from '@chaintape/protocol'
import type { Logger } from '../../../lib/logger.ts'
import type { Clock } from '../../gatewayChain.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { CursorsAhead } from '../cursorsAhead.ts'
import { errorPush } from '../errorPush.ts'
import type { Subscriber } from '../feed.ts'
import type { FeedLimits } from '../feedLimits.ts'
import { replayKlines, sendOpenKline } from '../klineReplay.ts'
import { createNewsReplaySource } from '../newsReplaySource.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { type Cursor, parseCursor } from './cursor.ts'
import type { FeedHistory } from './feedHistory.ts'
import { ItemReplay } from './itemReplay.ts'
import {
  type Located,
  lastCommonCursor,
  locateInMemory,
  locateInStore,
  locateReverted,
  type Place,
} from './locateCursor.ts'
import { ReadSlots } from './readSlots.ts'
import type { ReplaySource } from './replaySource.ts'
import { createTradeReplaySource } from './tradeReplaySource.ts'
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
  /** It cannot be resumed: the subscription is over. */
  end(): void
}

/** Brings subscriptions that ask for it to where the market is, and only then makes them live. */
export class Replays {
  private readonly options: ReplaysOptions
  private readonly slots: ReadSlots
  private readonly cursorsAhead: CursorsAhead
  /** Those that are not live yet. */
  readonly running = new Map<Subscriber, ReplayRequest>()

  constructor(options: ReplaysOptions) {
    this.options = options
    this.slots = new ReadSlots(options.limits.historyReadsMax, options.limits.historyWaitsMax)
    this.cursorsAhead = new CursorsAhead(options.clock, options.limits)
  }

  start(request: ReplayRequest): void {
    const { market, target, subscriber } = request
    const { since } = subscriber.options
    this.running.set(subscriber, request)
    const join = (joinedSeq: number) => {
      if (this.running.delete(subscriber)) request.join(joinedSeq)
    }
    const isStopped = () => !this.running.has(subscriber)
    const parts = {
      ...this.options,
      slots: this.slots,
      market,
      target,
      source: sourceOf(market, target, this.options.clock),
      subscriber,
      join,
      isStopped,
    }
    const cursor = since === null ? null : parseCursor(since)
    if (cursor !== null) this.run(subscriber, () => this.resume(parts, cursor))
    else if (parts.source !== null) {
      const replay = new ItemReplay({ ...parts, source: parts.source })
      this.run(subscriber, () => replay.snapshot())
    } else sendOpenKline(parts)
  }

  /** A block was added to a market. */
  applied(market: ChainMarket): void {
    this.cursorsAhead.applied(market)
  }

  tick(nowMs: number): void {
    this.cursorsAhead.tick(nowMs)
  }

  /** The market was loaded again: what was to be brought to where it was has to begin again. */
  interrupt(market: ChainMarket): void {
    for (const [subscriber, request] of this.running)
      if (request.market === market) this.fail(subscriber, 'unavailable', subscriber.options.since)
  }

  stop(subscriber: Subscriber): void {
    this.running.delete(subscriber)
  }

  /** A failure ends the subscription, and says so. */
  private run(subscriber: Subscriber, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.running.has(subscriber)) return
      this.options.logger.warn({ msg: 'Failed to resume a subscription', err: error })
      this.fail(subscriber, 'unavailable', subscriber.options.since)
    })
  }

  private async resume(parts: ReplayParts, cursor: Cursor): Promise<void> {
    const { market, source, subscriber } = parts
    const { history } = this.options
    let located: Located | null = locateInMemory(market, cursor)
    const isMissing = located !== null && 'fault' in located
    const reached = isMissing ? this.cursorsAhead.until(market, cursor.number) : null
    if (reached !== null) {
      await reached
      located = locateInMemory(market, cursor)
    }
    if (located === null && history !== null)
      located = await this.slots.run(() => locateInStore(market, history, cursor))
    located ??= { fault: 'cursor_unknown' }
    // Further ahead than a reorg in memory leaves a reader, unless there was a deeper one.
    if ('fault' in located && located.fault === 'cursor_unknown' && history !== null)
      located = await this.slots.run(() => locateReverted(market, history, cursor))
    if (!this.running.has(subscriber)) return
    if ('fault' in located) {
      const isOrphaned = located.fault === 'cursor_orphaned'
      const common = isOrphaned ? await lastCommonCursor(market, history, cursor.number) : null
      this.fail(subscriber, located.fault, common)
      return
    }
    const { place } = located
    if (source === null) await replayKlines(parts, place.timeS)
    else await this.replayItem(new ItemReplay({ ...parts, source }), subscriber, place)
  }

  private async replayItem(replay: ItemReplay, subscriber: Subscriber, from: Place): Promise<void> {
    const { history } = this.options
    for (let place: Place | null = from; place !== null && this.running.has(subscriber); ) {
      if (replay.isInMemory(place)) place = replay.fromMemory(place)
      else {
        const next: Place | null | 'unknown' =
          history === null ? 'unknown' : await replay.fromStore(place, history)
        if (next === 'unknown') return this.fail(subscriber, 'cursor_unknown', null)
        place = next ?? replay.afterStore()
      }
      if (place !== null) await subscriber.room?.()
    }
  }

  private fail(subscriber: Subscriber, code: ErrorCode, cursor: string | null): void {
    const request = this.running.get(subscriber)
    if (request === undefined) return
    this.running.delete(subscriber)
    request.end()
    subscriber.send(errorPush(code, faultTexts[code] ?? '', { cursor, param: 'since' }))
  }
}

type ReplayParts = Omit<ReplayRequest, 'end'> &
  ReplaysOptions & {
    /** Null: klines, which have another way. */
    source: ReplaySource | null
    slots: ReadSlots
    isStopped(): boolean
  }

function sourceOf(market: ChainMarket, target: ItemTarget, clock: Clock): ReplaySource | null {
  const { topic } = target
  if (topic === 'new_pairs') return createNewsReplaySource(market, clock)
  return isTradeTopic(topic) ? createTradeReplaySource(market, { ...target, topic }, clock) : null
}

const faultTexts: Partial<Record<ErrorCode, string>> = {
  cursor_orphaned:
    'The block of this cursor is no longer part of the chain; drop what came after data.cursor and resume there.',
  cursor_unknown:
    'This cursor cannot be resumed from: it is too old, of another chain, or ahead of this server.',
  unavailable: 'The history cannot be read now; subscribe again later.',
}
