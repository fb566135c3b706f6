import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { Logger } from '../../lib/logger.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import type { RpcId } from '../feed/push.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import { runSteps } from '../ground/steps.ts'
import type { KeySockets, SocketCaller } from '../keys/keySockets.ts'
import { messageBurstMin } from '../keys/plan.ts'
import { TokenBucket } from '../keys/usage/tokenBucket.ts'
import { answerMessage, type RpcAnswer } from './answerMessage.ts'
import { Inbox } from './inbox.ts'
import { closeCodes, keyRefusals, keySocketsRefusal, type Refusal, refusalOf } from './refusals.ts'
import type { FlushQueue } from './sending/flushQueue.ts'
import { Outbox } from './sending/outbox.ts'
import type { Subscription } from './subscriptions/subscription.ts'
import type { SubscribeRateLimiter } from './subscriptions/subscriptionLimits.ts'
import { type SubscriptionContext, SubscriptionSet } from './subscriptions/subscriptionSet.ts'
import type { WsLimits } from './wsLimits.ts'
import type { WsStats } from './wsStats.ts'

const minuteMs = 60_000

/** Services and limits that all WebSocket connections of a server share. */
export type ConnectionContext = {
  scheduler: Scheduler
  subscriptions: SubscriptionContext
  subscribeRate: SubscribeRateLimiter
  keySockets: KeySockets
  clock: Clock
  logger: Logger
  limits: WsLimits
  stats: WsStats
  flushQueue: FlushQueue
}

type ConnectionOptions = {
  webSocket: WebSocket
  /** The TCP connection under the WebSocket. */
  socket: Duplex
  address: string
  isDeflated: boolean
  onClosed(connection: Connection): void
}

/**
 * One WebSocket client, from its key check to the end of the closing handshake. Enforces most
 * limits of `WsLimits` that apply to one socket.
 */
export class Connection {
  readonly #context: ConnectionContext
  readonly #options: ConnectionOptions
  readonly #outbox: Outbox
  readonly #subscriptions: SubscriptionSet
  readonly #messageBucket = new TokenBucket()
  readonly #refusalBucket = new TokenBucket()
  #isRefusedTooOften = false
  readonly #inbox: Inbox
  /** The client's API key. Null until the key check succeeds. */
  #holder: SocketCaller | null = null
  /** Payload of the newest ping that waits for its pong, because the client reads slowly. */
  #unansweredPing: Buffer | null = null
  #lastSeenMs: number
  #pingedMs: number | null = null
  #drainsSeen = 0
  /** Time since which a slow client has read nothing. Null while the client reads or keeps up. */
  #notReadingSinceMs: number | null = null
  /** Deadline of the closing handshake. Null until closing starts. */
  #closeDeadlineMs: number | null = null

  constructor(options: ConnectionOptions, context: ConnectionContext) {
    const { webSocket, socket, isDeflated } = options
    const { clock, limits, stats, flushQueue } = context
    this.#context = context
    this.#options = options
    this.#outbox = new Outbox({
      webSocket,
      socket,
      flushQueue,
      stats,
      bytesMax: limits.outboxBytesMax,
      isDeflated,
      onLag: (lost) => this.#closeLagged(lost),
    })
    this.#subscriptions = new SubscriptionSet(this.#outbox, context.subscriptions)
    this.#inbox = new Inbox({
      scheduler: context.scheduler,
      answer: (data, place) => this.#answer(data, place),
      pause: () => webSocket.pause(),
      resume: () => webSocket.resume(),
      onOverload: () => this.close(closeCodes.tryLater, 'Too many requests are waiting'),
    })
    this.#lastSeenMs = clock.nowMs()
    webSocket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    webSocket.on('ping', (data) => this.#pong(data))
    webSocket.on('pong', () => this.#markAlive())
    webSocket.on('close', () => this.#closed())
    webSocket.on('error', (error) =>
      context.logger.debug({ msg: 'WebSocket failed', address: options.address, err: error }),
    )
  }

  /**
   * Admits the client once its key is known. The socket is paused meanwhile, so unread messages
   * need no buffer.
   */
  open(caller: SocketCaller | Promise<SocketCaller>): void {
    if (!(caller instanceof Promise)) {
      this.#admit(caller)
      return
    }
    this.#options.webSocket.pause()
    void caller.then(
      (holder) => this.#admit(holder),
      (error) => this.#refuse(refusalOf(error)),
    )
  }

  /** Enforces deadlines, checks the key and pings silent clients. Called about once a second. */
  tick(nowMs: number): void {
    const isReading = this.#outbox.isSlow && this.#outbox.drainCount !== this.#drainsSeen
    this.#drainsSeen = this.#outbox.drainCount
    if (isReading) this.#markAlive()
    if (!this.#outbox.isSlow || isReading) this.#notReadingSinceMs = null
    else this.#notReadingSinceMs ??= nowMs
    if (this.#closeDeadlineMs !== null) {
      // Only reading extends the closing deadline: a client could keep sending forever.
      if (isReading) this.#closeDeadlineMs = nowMs + this.#context.limits.closeMsMax
      else if (nowMs >= this.#closeDeadlineMs) this.terminate()
      return
    }
    // A client that reads nothing is disconnected even while it sends: its queue would stay in
    // memory for nothing.
    if (
      this.#notReadingSinceMs !== null &&
      nowMs - this.#notReadingSinceMs >= this.#context.limits.sendMsMax
    ) {
      this.terminate()
      return
    }
    const fault = this.#holder?.fault() ?? null
    if (fault !== null) this.#refuse(keyRefusals[fault])
    else this.#checkLiveness(nowMs)
  }

  /** Sends what is queued and then `lastText`, and starts the closing handshake. */
  close(code: number, reason: string, lastText: string | null = null): void {
    if (this.#closeDeadlineMs !== null) return
    const { clock, limits } = this.#context
    this.#closeDeadlineMs = clock.nowMs() + limits.closeMsMax
    this.#outbox.end(lastText, () => this.#options.webSocket.close(code, reason))
    // A paused socket would never receive the client's close frame.
    this.#options.webSocket.resume()
  }

  terminate(): void {
    this.#options.webSocket.terminate()
  }

  #admit(holder: SocketCaller): void {
    if (this.#closeDeadlineMs !== null) return
    // A plan with `socketsMax` 0 excludes WebSockets. Its key counts as invalid, because retrying
    // cannot help.
    const fault = holder.fault() ?? (holder.plan.socketsMax === 0 ? 'invalid_key' : null)
    if (fault !== null) {
      this.#refuse(keyRefusals[fault])
      return
    }
    const taken = this.#context.keySockets.acquire(holder)
    if (!(taken instanceof Promise)) {
      this.#begin(holder, taken)
      return
    }
    this.#options.webSocket.pause()
    void taken.then((isTaken) => this.#begin(holder, isTaken))
  }

  #begin(holder: SocketCaller, isTaken: boolean): void {
    if (!isTaken) this.#refuse(keySocketsRefusal)
    else if (this.#closeDeadlineMs !== null) this.#context.keySockets.release(holder)
    else {
      this.#holder = holder
      this.#subscriptions.keyId = holder.key.id
      this.#options.webSocket.resume()
    }
  }

  #refuse({ code, message, closeCode }: Refusal): void {
    const { logger } = this.#context
    logger.debug({ msg: 'WebSocket refused', address: this.#options.address, reason: message })
    this.close(closeCode, message, JSON.stringify({ error: { code, message } }))
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#markAlive()
    if (this.#closeDeadlineMs !== null) return
    if (isBinary) this.close(closeCodes.notText, 'Messages must be text')
    else if (this.#holder === null) return
    else if (data.length > (this.#holder.plan.messageBytesMax ?? data.length))
      this.close(closeCodes.tooLarge, 'Message over message_bytes_max of your plan')
    else this.#inbox.receive(data)
  }

  /** Answers one message. Returns a promise if the next message has to wait for this one. */
  #answer(data: Buffer, position: number): Promise<void> | null {
    if (this.#closeDeadlineMs !== null || this.#holder === null) return null
    const { subscriptions, clock, limits, stats, logger } = this.#context
    const { plan } = this.#holder
    const { messagesPerS } = plan
    const steps = answerMessage(data, {
      feed: subscriptions.feed,
      budget: subscriptions.budget,
      plan,
      stats,
      logger,
      subscriptions: this.#subscriptions,
      batchCallsMax: Math.min(plan.batchCallsMax ?? limits.batchCallsMax, limits.batchCallsMax),
      takeFromRateLimit: () =>
        messagesPerS === null || takeMessage(this.#messageBucket, messagesPerS, clock.nowMs()),
      onRefused: () => {
        this.#isRefusedTooOften ||= !this.#takeRefusal(clock.nowMs())
      },
    })
    const { scheduler } = this.#context
    const isStillWanted = () => this.#closeDeadlineMs === null
    const done = runSteps(steps, scheduler, position, isStillWanted)
    if (!(done instanceof Promise)) return this.#sendAnswer(done.result, position)
    return done.then(async (late) => {
      if (late !== null) await this.#sendAnswer(late.result, position)
    })
  }

  #sendAnswer({ text, subscriptionsToStart }: RpcAnswer, place: number): Promise<void> | null {
    if (text !== null) this.#outbox.sendText(text)
    if (this.#isRefusedTooOften) this.close(closeCodes.policy, 'Too many refused messages')
    // Queuing the answer can close the connection, if the client reads too slowly.
    if (this.#closeDeadlineMs !== null) return null
    if (subscriptionsToStart.length === 0) return null
    return this.#start(subscriptionsToStart, place).catch((error) => {
      this.#context.logger.error({ msg: 'Failed to start a subscription', err: error })
      this.close(closeCodes.internal, 'Internal error')
    })
  }

  async #start(toStart: readonly Subscription[], place: number): Promise<void> {
    const { scheduler, subscribeRate, clock } = this.#context
    let count = 0
    for (const { pendingKeys } of toStart) count += pendingKeys.size
    await this.#subscriptions.start(toStart, scheduler, place)
    const waitMs = subscribeRate.recordItems(this.#subscriptions.keyId, count, clock.nowMs())
    if (waitMs > 0 && this.#closeDeadlineMs === null) await pause(waitMs, undefined, { ref: false })
  }

  /** Counts a refused message. Returns false once the client exceeds `refusedMessagesPerMin`. */
  #takeRefusal(nowMs: number): boolean {
    const burst = this.#context.limits.refusedMessagesPerMin
    const rate = { burst, intervalMs: minuteMs / burst }
    if (this.#refusalBucket.waitMs(rate, nowMs) > 0) return false
    this.#refusalBucket.take(rate, nowMs)
    return true
  }

  #closeLagged(lost: { id: RpcId; cursor: string } | null): void {
    const { logger } = this.#context
    logger.info({ msg: 'WebSocket reader too slow', address: this.#options.address })
    this.close(closeCodes.lagged, 'Reader too slow', lost === null ? null : laggedText(lost))
  }

  #pong(data: Buffer): void {
    this.#markAlive()
    // RFC 6455, 5.5.3: only the newest ping needs a pong. A client that pings and never reads thus
    // costs no memory.
    if (this.#options.socket.writableLength > 0) this.#unansweredPing = Buffer.from(data)
    else this.#options.webSocket.pong(data)
  }

  #markAlive(): void {
    this.#lastSeenMs = this.#context.clock.nowMs()
    this.#pingedMs = null
  }

  #checkLiveness(nowMs: number): void {
    const { pingMs, pongMsMax } = this.#context.limits
    if (this.#pingedMs !== null) {
      if (nowMs - this.#pingedMs >= pongMsMax) this.terminate()
    } else if (nowMs - this.#lastSeenMs >= pingMs) {
      this.#pingedMs = nowMs
      this.#options.webSocket.ping()
    }
    if (this.#unansweredPing !== null && this.#options.socket.writableLength === 0) {
      this.#options.webSocket.pong(this.#unansweredPing)
      this.#unansweredPing = null
    }
  }

  #closed(): void {
    this.#closeDeadlineMs ??= this.#context.clock.nowMs()
    this.#outbox.discard()
    this.#inbox.clear()
    this.#subscriptions.clear()
    if (this.#holder !== null) this.#context.keySockets.release(this.#holder)
    this.#holder = null
    this.#options.onClosed(this)
  }
}

/**
 * Last message to a slow reader: the cursor to resume from. Like an acknowledgement, it has no
 * `topic`.
 */
function laggedText({ id, cursor }: { id: RpcId; cursor: string }): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { status: 'lagged', cursor } })
}

/**
 * Takes one message from a socket's token bucket. Returns false once the rate limit is exceeded.
 */
export function takeMessage(bucket: TokenBucket, messagesPerS: number, nowMs: number): boolean {
  const rate = { burst: Math.max(messageBurstMin, messagesPerS), intervalMs: 1_000 / messagesPerS }
  if (bucket.waitMs(rate, nowMs) > 0) return false
  bucket.take(rate, nowMs)
  return true
}
