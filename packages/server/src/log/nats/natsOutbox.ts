import { setTimeout as delay } from 'node:timers/promises'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { LogMovedError } from '../errors.ts'
import { natsFault } from './natsServer.ts'
import type { NatsStream, StreamMessage } from './natsStream.ts'
import { encodePlace, placeHeader } from './stepMessages.ts'

/** Messages that are only of use together, on their way into a stream. */
export type Parcel = {
  messages: readonly StreamMessage[]
  bytes: number
  /** The servers have all of it: no crash takes it away again. */
  onStored(): void
}

export type NatsOutboxOptions = {
  stream: NatsStream
  chain: string
  logger: Logger
  /** Nothing more will be sent: another one writes the stream. */
  onFatal(error: AppError): void
}

// Sent without waiting for the answers of those before.
const windowMessages = 64
const windowBytes = 8_000_000
const retryMsMin = 50
const retryMsMax = 1_000
// A server that has just become the leader may not know all of the stream yet; one that refuses for longer has another end than we know.
const refusedMsMax = 20_000
const wrongLastSequence = 10_071
const wrongLastMessage = 10_070

/** Sends parcels in order, for as long as it takes, each message to the very place that it has the number of. */
export class NatsOutbox {
  private readonly options: NatsOutboxOptions
  private readonly stopping = new AbortController()
  private waiters: { resolve(): void; reject(error: AppError): void }[] = []
  private queue: Parcel[] = []
  private queuedBytes = 0
  private lastError: AppError | null = null
  private isSending = false
  /** Null: the newest try was not refused for where the stream ends. */
  private refusedSinceMs: number | null = null
  fatal: AppError | null = null

  constructor(options: NatsOutboxOptions) {
    this.options = options
  }

  push(parcel: Parcel): void {
    this.queue.push(parcel)
    this.queuedBytes += parcel.bytes
    if (!this.isSending) void this.sendAll()
  }

  /** Resolves when all that was pushed is stored; rejects when it never will be. */
  flush(): Promise<void> {
    if (this.fatal !== null) return Promise.reject(this.fatal)
    if (this.queue.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.waiters.push({ resolve, reject })
    })
  }

  pending(): { steps: number; bytes: number; lastError: AppError | null } {
    const lastError = this.fatal ?? this.lastError
    return { steps: this.queue.length, bytes: this.queuedBytes, lastError }
  }

  stop(): void {
    this.stopping.abort()
  }

  private async sendAll(): Promise<void> {
    const { chain, logger } = this.options
    const { signal } = this.stopping
    this.isSending = true
    for (let delayMs = retryMsMin; this.queue.length > 0 && !signal.aborted; ) {
      try {
        await this.sendWindow(this.window())
        this.lastError = null
        this.refusedSinceMs = null
        delayMs = retryMsMin
      } catch (error) {
        const fault = await this.faultOf(error)
        this.lastError = fault
        if (!fault.retryable) return this.fail(fault)
        logger.warn({ msg: 'Failed to append to the log', chain, err: fault, delayMs })
        await delay(delayMs, undefined, { signal }).catch(() => undefined)
        delayMs = Math.min(2 * delayMs, retryMsMax)
      }
    }
    this.isSending = false
    if (this.queue.length === 0) for (const { resolve } of this.waiters.splice(0)) resolve()
  }

  /** Servers that have refused for long what is not there have lost what was before it: whoever opens the log next goes on behind what they have. */
  private async faultOf(error: unknown): Promise<AppError> {
    const { stream, chain } = this.options
    if (error instanceof LogMovedError) return error
    const { code } = error as { code?: unknown }
    const isRefused = code === wrongLastSequence || code === wrongLastMessage
    this.refusedSinceMs = isRefused ? (this.refusedSinceMs ?? performance.now()) : null
    const isLong = isRefused && performance.now() - this.refusedSinceMs! > refusedMsMax
    const last = isLong ? await stream.last().catch(() => null) : null
    if (last === null) return natsFault(error, stream.server)
    const expectedSeq = this.queue[0]!.messages[0]!.place.lastSeq
    return new LogMovedError({ chain, expectedSeq, lastSeq: last.place.lastSeq })
  }

  /** The oldest that are queued, as many as are sent at once. */
  private window(): readonly Parcel[] {
    let [messages, bytes, count] = [0, 0, 0]
    for (const parcel of this.queue) {
      messages += parcel.messages.length
      bytes += parcel.bytes
      if (count > 0 && (messages > windowMessages || bytes > windowBytes)) break
      count += 1
    }
    return this.queue.slice(0, count)
  }

  private async sendWindow(window: readonly Parcel[]): Promise<void> {
    const messages = window.flatMap((parcel) => parcel.messages)
    const answers = await Promise.allSettled(
      messages.map((message, index) =>
        publishBehind(this.options.stream, message, messages[index - 1]),
      ),
    )
    const failed = answers.find((answer) => answer.status === 'rejected')
    // Of what got no answer the stream alone knows whether it is there, and what is behind a message that is not was refused.
    for (const parcel of window) {
      if (failed !== undefined && !(await this.isThere(parcel))) throw failed.reason
      this.queue.shift()
      this.queuedBytes -= parcel.bytes
      parcel.onStored()
    }
  }

  private async isThere({ messages }: Parcel): Promise<boolean> {
    const { stream, chain } = this.options
    for (const { at, id, place } of messages) {
      const found = await stream.messageAt(at)
      if (found === null) return false
      if (found.id !== id)
        throw new LogMovedError({
          chain,
          expectedSeq: place.lastSeq,
          lastSeq: found.place.lastSeq,
        })
    }
    return true
  }

  private fail(error: AppError): void {
    const { chain, logger, onFatal } = this.options
    this.fatal = error
    logger.error({ msg: 'Stopped appending to the log', chain, err: error })
    for (const { reject } of this.waiters.splice(0)) reject(error)
    onFatal(error)
  }
}

/**
 * Puts a message to its place, or nowhere. `before` is one of ours that is on its way to the place before it: by number alone the
 * message could go behind one of somebody else there. Where the one before was acknowledged the number says it all.
 */
export async function publishBehind(
  { server, subject }: NatsStream,
  { at, id, place, bytes }: StreamMessage,
  before?: StreamMessage | undefined,
): Promise<void> {
  const head = server.createHeaders()
  head.set(placeHeader, encodePlace(place))
  const expected = before === undefined ? {} : { lastMsgID: before.id }
  await server.client.publish(subject, bytes, {
    msgID: id,
    headers: head,
    expect: { lastSequence: at - 1, ...expected },
  })
}
