import type { ErrorCode } from '@chaintape/protocol'
import type { Logger } from '../../../lib/logger.ts'
import { blockNumberDistance } from '../../../model/block.ts'
import { type Cursor, parseCursor } from '../../chain/cursor.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { FeedLimits, Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { errorPush } from '../push.ts'
import {
  type CursorLookup,
  lastCommonCursor,
  locateInMemory,
  locateInStore,
  locateReverted,
} from './locateCursor.ts'
import type { ReplayParts, TopicReplay } from './replaySource.ts'
import { ReadLimiter, type ReplayStore } from './replayStore.ts'

type ReplaysOptions = {
  history: ReplayStore | null
  limits: FeedLimits
  clock: Clock
  logger: Logger
}

type ReplayRequest = {
  market: ChainMarket
  target: ItemTarget
  replay(parts: ReplayParts): TopicReplay
  subscriber: Subscriber
  /** Makes the subscription live, after all that it missed was sent. */
  join(joinedSeq: number): void
  /** Called when the subscription has ended because it cannot be resumed. */
  end(): void
}

/**
 * Replays subscriptions with `since` or `snapshot` up to the current market, then makes them live.
 */
export class Replays {
  readonly #options: ReplaysOptions
  readonly #readLimiter: ReadLimiter
  readonly #cursorsAhead: PendingCursors
  /** Subscriptions whose replay is running, so that they are not live yet. */
  readonly running = new Map<Subscriber, ReplayRequest>()

  constructor(options: ReplaysOptions) {
    this.#options = options
    this.#readLimiter = new ReadLimiter(
      options.limits.historyReadsMax,
      options.limits.historyWaitsMax,
    )
    this.#cursorsAhead = new PendingCursors(options.clock, options.limits)
  }

  start(request: ReplayRequest): void {
    const { market, target, subscriber } = request
    const { since } = subscriber.options
    this.running.set(subscriber, request)
    const join = (joinedSeq: number) => {
      if (this.running.delete(subscriber)) request.join(joinedSeq)
    }
    const isStopped = () => !this.running.has(subscriber)
    const fail = (code: ErrorCode) => this.#fail(subscriber, code, null)
    const { history, limits } = this.#options
    const readLimiter = this.#readLimiter
    const parts = {
      market,
      target,
      subscriber,
      history,
      limits,
      readLimiter,
      join,
      isStopped,
      fail,
    }
    const replay = request.replay(parts)
    const cursor = since === null ? null : parseCursor(since)
    this.#run(subscriber, () =>
      cursor === null ? replay.snapshot() : this.#resume(request, cursor, replay),
    )
  }

  /** Called when a block was committed to a market: continues replays that wait for it. */
  applied(market: ChainMarket): void {
    this.#cursorsAhead.applied(market)
  }

  tick(nowMs: number): void {
    this.#cursorsAhead.tick(nowMs)
  }

  /**
   * Ends the running replays of a market that was loaded again. Their clients must subscribe again.
   */
  interrupt(market: ChainMarket): void {
    for (const [subscriber, request] of this.running)
      if (request.market === market) this.#fail(subscriber, 'unavailable', subscriber.options.since)
  }

  stop(subscriber: Subscriber): void {
    this.running.delete(subscriber)
  }

  /** Runs a replay. A failure ends the subscription with an error. */
  #run(subscriber: Subscriber, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.running.has(subscriber)) return
      this.#options.logger.warn({ msg: 'Failed to resume a subscription', err: error })
      this.#fail(subscriber, 'unavailable', subscriber.options.since)
    })
  }

  async #resume(
    { market, subscriber }: ReplayRequest,
    cursor: Cursor,
    replay: TopicReplay,
  ): Promise<void> {
    const { history } = this.#options
    let located: CursorLookup | null = locateInMemory(market, cursor)
    const isMissing = located !== null && 'fault' in located
    const reached = isMissing ? this.#cursorsAhead.waitFor(market, cursor.number) : null
    if (reached !== null) {
      await reached
      located = locateInMemory(market, cursor)
    }
    if (located === null && history !== null)
      located = await this.#readLimiter.run(() => locateInStore(market, history, cursor))
    located ??= { fault: 'cursor_unknown' }
    // A reorg within memory cannot leave a client this far ahead, but a deeper reorg can.
    if ('fault' in located && located.fault === 'cursor_unknown' && history !== null)
      located = await this.#readLimiter.run(() => locateReverted(market, history, cursor))
    if (!this.running.has(subscriber)) return
    if ('fault' in located) {
      const isOrphaned = located.fault === 'cursor_orphaned'
      const common = isOrphaned ? await lastCommonCursor(market, history, cursor.number) : null
      this.#fail(subscriber, located.fault, common)
      return
    }
    await replay.resume(located.place)
  }

  #fail(subscriber: Subscriber, code: ErrorCode, cursor: string | null): void {
    const request = this.running.get(subscriber)
    if (request === undefined) return
    this.running.delete(subscriber)
    request.end()
    subscriber.send(errorPush(code, faultTexts[code] ?? '', { cursor, param: 'since' }))
  }
}

const faultTexts: Partial<Record<ErrorCode, string>> = {
  cursor_orphaned:
    'The block of this cursor was reverted; drop everything after data.cursor and resume there.',
  cursor_unknown:
    'This cursor cannot be resumed: it is too old, belongs to another chain, or is ahead of this server.',
  unavailable: 'The history cannot be read now; subscribe again later.',
}

type Wait = { market: ChainMarket; number: number; untilMs: number; resolve: () => void }

/**
 * Subscriptions whose cursor is slightly ahead of this server. The cursor came from a server
 * further ahead, or from this one before a crash, because blocks are pushed before they are stored.
 */
class PendingCursors {
  readonly #waits = new Set<Wait>()
  readonly #clock: Clock
  readonly #limits: Pick<FeedLimits, 'aheadWaitMsMax' | 'historyWaitsMax'>

  constructor(clock: Clock, limits: Pick<FeedLimits, 'aheadWaitMsMax' | 'historyWaitsMax'>) {
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Resolves when the chain reaches the block number, or when the wait times out. Null: there is
   * nothing to wait for.
   */
  waitFor(market: ChainMarket, number: number): Promise<void> | null {
    const { reads, profile } = market.chain
    const head = reads.head()
    if (head === null || number <= head.number) return null
    if (blockNumberDistance(head.number, number) > profile.reorgDepthMax) return null
    if (this.#waits.size >= this.#limits.historyWaitsMax) return null
    const untilMs = this.#clock.nowMs() + this.#limits.aheadWaitMsMax
    return new Promise((resolve) => this.#waits.add({ market, number, untilMs, resolve }))
  }

  /** Called when a block was committed. Ends the waits for its number. */
  applied(market: ChainMarket): void {
    if (this.#waits.size === 0) return
    const headNumber = market.chain.reads.head()?.number ?? -1
    this.#endWaits((wait) => wait.market === market && wait.number <= headNumber)
  }

  tick(nowMs: number): void {
    this.#endWaits(({ untilMs }) => untilMs <= nowMs)
  }

  #endWaits(isOver: (wait: Wait) => boolean): void {
    for (const wait of this.#waits) {
      if (!isOver(wait)) continue
      this.#waits.delete(wait)
      wait.resolve()
    }
  }
}
