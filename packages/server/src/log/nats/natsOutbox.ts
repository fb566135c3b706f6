import { setTimeout as delay } from 'node:timers/promises'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { LogWriterReplacedError } from '../errors.ts'
import { NatsPublisher } from './natsPublisher.ts'
import { natsFault } from './natsServer.ts'
import type { NatsStream, StreamMessage } from './natsStream.ts'

/** Messages that only make sense together, on their way into a stream. */
type MessageBatch = {
  bytes: number
  /** Called once, after earlier parcels were sent: waiting parcels are not held twice. */
  encode(): readonly StreamMessage[]
  /** The servers have all of it: no crash removes it. */
  onStored(): void
}

type NatsOutboxOptions = {
  stream: NatsStream
  chain: string
  logger: Logger
  /** Nothing more will be sent: another writer took over. */
  onFatal(error: AppError): void
}

type Queued = {
  parcel: MessageBatch
  /** Empty until its turn comes. */
  messages: readonly StreamMessage[]
  sent: number
  acknowledged: number
}

/**
 * One pass from the oldest queued parcel, each message after the previous one, until all are sent
 * or one fails.
 */
type Run = {
  /** Parcels that were partly sent and are not stored. */
  begun: number
  newest: StreamMessage | undefined
  underWay: { messages: number; bytes: number }
  fault: { reason: unknown } | null
  end(): void
}

// Messages sent without waiting for earlier answers.
const windowMessages = 64
const windowBytes = 8_000_000
const retryMsMin = 50
const retryMsMax = 1_000
// A newly elected leader may not know all of the stream yet; if it refuses for longer, the stream
// has another end than expected.
const refusedMsMax = 20_000
const wrongLastSequence = 10_071
const wrongLastMessage = 10_070

/**
 * Sends parcels in order and retries for as long as needed, each message to the exact place of its
 * number.
 */
export class NatsOutbox {
  readonly #options: NatsOutboxOptions
  readonly #publisher: NatsPublisher
  readonly #stopping = new AbortController()
  #waiters: { resolve(): void; reject(error: AppError): void }[] = []
  #queue: Queued[] = []
  #queuedBytes = 0
  #lastError: AppError | null = null
  #isSending = false
  #run: Run | null = null
  #retryMs = retryMsMin
  /**
   * Since when the stream refuses appends because its last sequence is not the expected one; null:
   * the newest append was not refused for that reason.
   */
  #refusedSinceMs: number | null = null
  fatal: AppError | null = null

  constructor(options: NatsOutboxOptions) {
    this.#options = options
    this.#publisher = new NatsPublisher(options.stream)
  }

  push(parcel: MessageBatch): void {
    this.#queue.push({ parcel, messages: [], sent: 0, acknowledged: 0 })
    this.#queuedBytes += parcel.bytes
    if (!this.#isSending) void this.#sendAll()
    else if (this.#run !== null) this.#sendOn(this.#run)
  }

  /** Resolves once all pushed parcels are stored; rejects if they never will be. */
  flush(): Promise<void> {
    if (this.fatal !== null) return Promise.reject(this.fatal)
    if (this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
    })
  }

  pending(): { steps: number; bytes: number; lastError: AppError | null } {
    const lastError = this.fatal ?? this.#lastError
    return { steps: this.#queue.length, bytes: this.#queuedBytes, lastError }
  }

  stop(): void {
    this.#stopping.abort()
    if (!this.#isSending) this.#publisher.close()
  }

  async #sendAll(): Promise<void> {
    const { chain, logger } = this.#options
    const { signal } = this.#stopping
    this.#isSending = true
    while (this.#queue.length > 0 && !signal.aborted) {
      try {
        await this.#sendQueued()
        this.#forgetFaults()
      } catch (error) {
        const fault = await this.#faultOf(error)
        this.#lastError = fault
        if (!fault.retryable) return this.#fail(fault)
        logger.warn({
          msg: 'Failed to append to the log',
          chain,
          err: fault,
          delayMs: this.#retryMs,
        })
        await delay(this.#retryMs, undefined, { signal }).catch(() => undefined)
        this.#retryMs = Math.min(2 * this.#retryMs, retryMsMax)
      }
    }
    this.#isSending = false
    if (signal.aborted) this.#publisher.close()
    if (this.#queue.length === 0) for (const { resolve } of this.#waiters.splice(0)) resolve()
  }

  /**
   * Servers that refuse for long have lost earlier messages: the next writer continues after what
   * they have.
   */
  async #faultOf(error: unknown): Promise<AppError> {
    const { stream, chain } = this.#options
    if (error instanceof LogWriterReplacedError) return error
    const { code } = error as { code?: unknown }
    const isRefused = code === wrongLastSequence || code === wrongLastMessage
    this.#refusedSinceMs = isRefused ? (this.#refusedSinceMs ?? performance.now()) : null
    const isLong = isRefused && performance.now() - this.#refusedSinceMs! > refusedMsMax
    const last = isLong ? await stream.last().catch(() => null) : null
    if (last === null) return natsFault(error, stream.server)
    const expectedSeq = this.#queue[0]!.messages[0]!.place.lastSeq
    return new LogWriterReplacedError({ chain, expectedSeq, lastSeq: last.place.lastSeq })
  }

  async #sendQueued(): Promise<void> {
    const { begun, fault } = await this.#runOnce()
    if (fault === null) return
    // Without an answer only the stream shows whether a message arrived; messages after a missing
    // one were refused.
    for (const queued of this.#queue.slice(0, begun)) {
      if (!(await this.#isThere(queued))) throw fault.reason
      this.#takeOut()
    }
  }

  /** Resolves once all sent messages are answered, and the queue is empty or a message failed. */
  #runOnce(): Promise<Run> {
    for (const queued of this.#queue) {
      queued.sent = 0
      queued.acknowledged = 0
    }
    return new Promise((resolve) => {
      const run: Run = {
        begun: 0,
        newest: undefined,
        underWay: { messages: 0, bytes: 0 },
        fault: null,
        end: () => resolve(run),
      }
      this.#run = run
      this.#sendOn(run)
    })
  }

  #sendOn(run: Run): void {
    const { underWay } = run
    while (underWay.messages < windowMessages && underWay.bytes < windowBytes) {
      if (run.fault !== null || this.#stopping.signal.aborted) break
      const queued = this.#nextOf(run)
      if (queued === undefined) break
      const message = queued.messages[queued.sent]!
      const before = run.newest
      queued.sent += 1
      run.newest = message
      underWay.messages += 1
      underWay.bytes += message.bytes.length
      this.#publisher.publish(message, before, (fault) => {
        underWay.messages -= 1
        underWay.bytes -= message.bytes.length
        if (fault === null) this.#acknowledge(run, queued)
        else run.fault ??= { reason: fault }
        this.#sendOn(run)
      })
    }
    if (underWay.messages > 0) return
    this.#run = null
    run.end()
  }

  /** The oldest parcel with something to send. */
  #nextOf(run: Run): Queued | undefined {
    const begun = this.#queue[run.begun - 1]
    if (begun !== undefined && begun.sent < begun.messages.length) return begun
    const next = this.#queue[run.begun]
    if (next === undefined) return undefined
    run.begun += 1
    if (next.messages.length === 0) next.messages = next.parcel.encode()
    return next
  }

  #acknowledge(run: Run, queued: Queued): void {
    queued.acknowledged += 1
    this.#forgetFaults()
    for (let oldest = this.#queue[0]; oldest !== undefined; oldest = this.#queue[0]) {
      const { messages, acknowledged } = oldest
      if (messages.length === 0 || acknowledged < messages.length) return
      run.begun -= 1
      this.#takeOut()
    }
  }

  #forgetFaults(): void {
    this.#lastError = null
    this.#refusedSinceMs = null
    this.#retryMs = retryMsMin
  }

  /** Removes the oldest parcel, which is stored. */
  #takeOut(): void {
    const { parcel } = this.#queue.shift()!
    this.#queuedBytes -= parcel.bytes
    parcel.onStored()
  }

  async #isThere({ messages }: Queued): Promise<boolean> {
    const { stream, chain } = this.#options
    for (const { at, id, place } of messages) {
      const found = await stream.messageAt(at)
      if (found === null) return false
      if (found.id !== id)
        throw new LogWriterReplacedError({
          chain,
          expectedSeq: place.lastSeq,
          lastSeq: found.place.lastSeq,
        })
    }
    return true
  }

  #fail(error: AppError): void {
    const { chain, logger, onFatal } = this.#options
    this.fatal = error
    this.#publisher.close()
    logger.error({ msg: 'Stopped appending to the log', chain, err: error })
    for (const { reject } of this.#waiters.splice(0)) reject(error)
    onFatal(error)
  }
}
