import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { Push, RpcId } from '../../feed/push.ts'
import type { WsStats } from '../wsStats.ts'
import type { FlushQueue, FrameBatch } from './flushQueue.ts'
import { type Frame, joinFrames, pushFrameBytes, textFrame } from './frames.ts'

// Bytes per write to one socket. Large enough that a write costs little per byte, small enough that
// bytes written to a stuck reader are negligible beside its queue.
const writeBytesMax = 65_536

/** Subscriber of a push. Determines the push's frame and its conflation key. */
type PushRecipient = {
  readonly id: RpcId
  readonly isDetailed: boolean
  /** Number of the subscription. Pushes of different subscriptions are never conflated. */
  readonly serial: number
}

/**
 * Queued message for a slow reader: a complete frame, or a push whose frame is built when it is
 * sent.
 */
type QueuedMessage = { bytes: number } & (
  | { frame: Buffer; push: null }
  | { push: Push; id: RpcId; isDetailed: boolean; frame: null }
)

type OutboxOptions = {
  webSocket: Pick<WebSocket, 'readyState'>
  /** The TCP connection under the WebSocket. */
  socket: Duplex
  flushQueue: FlushQueue
  stats: WsStats
  bytesMax: number
  isDeflated: boolean
  /**
   * Called once, when the reader is too slow. `lost` is the push that did not fit; null for an
   * answer.
   */
  onLag(lost: { id: RpcId; cursor: string } | null): void
}

/**
 * Send queue of one socket; enforces `outboxBytesMax`. While the kernel takes every write, frames
 * are batched and written once per tick. After a write that the kernel did not take, messages wait
 * here. Of conflatable pushes only the newest per key waits, behind everything older, so that
 * cursors never go back. All other messages wait.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #writer: SocketWriter
  #batch: FrameBatch
  #isQueuedToFlush = false
  /** Waiting messages, oldest first. Null while the kernel takes every write. */
  #queue: Map<string | number, QueuedMessage> | null = null
  #queueBytes = 0
  #serial = 0
  #isEnded = false
  #isDiscarded = false
  #onEnd: (() => void) | null = null
  /** Callbacks of `room()`, called once the kernel has taken everything or the socket is gone. */
  #onRoom: (() => void)[] | null = null

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#writer = new SocketWriter(options.socket, () => this.#drain())
    this.#batch = options.flushQueue.emptyBatch
  }

  /** True while the kernel has not taken all written bytes, because the client reads slowly. */
  get isSlow(): boolean {
    return this.#queue !== null
  }

  /** Counts how often the kernel took all written bytes. Grows while a slow client reads. */
  get drainCount(): number {
    return this.#writer.drainCount
  }

  send(to: PushRecipient, push: Push): void {
    if (this.#isEnded) return
    if (this.#queue !== null) {
      this.#enqueuePush(to, push)
      return
    }
    const { frames } = this.#options.flushQueue
    const frame = frames.frame(push, to.id, to.isDetailed, this.#options.isDeflated)
    this.#options.stats.pushesSent += 1
    this.#gather(this.#batch.withShared(frame))
  }

  /** Sends an answer. Answers are never conflated, and keep their order among pushes. */
  sendText(text: string): void {
    if (this.#isEnded) return
    const frame = textFrame(text)
    if (this.#queue === null) this.#gather(this.#batch.withUnshared(frame))
    else if (this.#hasRoom(frame.length, 0)) this.#enqueue(this.#serial++, frame)
    else this.#reportLag(null)
  }

  /** Accepts no further messages. Calls `onEnd` once everything queued is written. */
  end(lastText: string | null, onEnd: () => void): void {
    if (this.#isEnded || this.#isDiscarded) return
    this.#isEnded = true
    if (lastText !== null) {
      const frame = textFrame(lastText)
      if (this.#queue === null) this.#batch = this.#batch.withUnshared(frame)
      else this.#enqueue(this.#serial++, frame)
    }
    this.flush()
    if (this.#queue === null) onEnd()
    else this.#onEnd = onEnd
  }

  /** Resolves once the kernel has taken everything sent so far, or the socket is gone. */
  room(): Promise<void> {
    this.flush()
    if (this.#queue === null) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onRoom ??= []
      this.#onRoom.push(resolve)
    })
  }

  flush(): void {
    this.#isQueuedToFlush = false
    const batch = this.#batch
    if (batch.bytes === 0) return
    this.#batch = this.#options.flushQueue.emptyBatch
    this.#write(batch.join())
  }

  /** Drops everything queued, because nothing may be written to the socket any more. */
  discard(): void {
    this.#isEnded = true
    this.#isDiscarded = true
    this.#queue = null
    this.#queueBytes = 0
    this.#batch = this.#options.flushQueue.emptyBatch
    this.#onEnd = null
    this.#resolveRoom()
  }

  #resolveRoom(): void {
    const waiting = this.#onRoom ?? []
    this.#onRoom = null
    for (const resolve of waiting) resolve()
  }

  #gather(batch: FrameBatch): void {
    this.#batch = batch
    if (batch.bytes >= writeBytesMax) this.flush()
    // Also scheduled right after a write: the frame cache is cleared at the end of the tick.
    this.#flushLater()
  }

  #flushLater(): void {
    if (this.#isQueuedToFlush) return
    this.#isQueuedToFlush = true
    this.#options.flushQueue.schedule(this)
  }

  /** Returns false if no further bytes can be written now. */
  #write(bytes: Buffer): boolean {
    const { webSocket, stats } = this.#options
    // The client or a protocol error started the closing handshake: no data may follow the close
    // frame.
    if (webSocket.readyState !== WebSocket.OPEN) {
      this.discard()
      return false
    }
    stats.bytesSent += bytes.length
    if (this.#writer.write(bytes)) return true
    this.#queue ??= new Map()
    return false
  }

  #drain(): void {
    if (this.#queue === null) return
    // Schedules a flush, so that the frames built here leave the frame cache at the end of the
    // tick.
    this.#flushLater()
    while (this.#queue !== null && this.#queue.size > 0)
      if (!this.#write(this.#takeChunk(this.#queue))) return
    this.#queue = null
    this.#onEnd?.()
    this.#onEnd = null
    this.#resolveRoom()
  }

  #takeChunk(queue: Map<string | number, QueuedMessage>): Buffer {
    const { flushQueue, isDeflated, stats } = this.#options
    const frames: Frame[] = []
    let bytes = 0
    for (const [key, waiting] of queue) {
      queue.delete(key)
      this.#queueBytes -= waiting.bytes
      const frame =
        waiting.frame ??
        flushQueue.frames.frame(waiting.push, waiting.id, waiting.isDetailed, isDeflated)
      if (waiting.push !== null) stats.pushesSent += 1
      frames.push(frame)
      bytes += frame.length
      if (bytes >= writeBytesMax) break
    }
    return joinFrames(frames, bytes)
  }

  #enqueuePush(to: PushRecipient, push: Push): void {
    const { id, isDetailed } = to
    const bytes = pushFrameBytes(id, isDetailed ? push.detailed() : push.plain)
    const key = push.conflateKey === null ? this.#serial++ : `${to.serial} ${push.conflateKey}`
    const older = this.#queue!.get(key)
    if (!this.#hasRoom(bytes, older?.bytes ?? 0)) {
      this.#reportLag({ id, cursor: push.cursor })
      return
    }
    if (older !== undefined) {
      this.#queue!.delete(key)
      this.#queueBytes -= older.bytes
      this.#options.stats.pushesConflated += 1
    }
    this.#queue!.set(key, { bytes, push, id, isDetailed, frame: null })
    this.#queueBytes += bytes
  }

  #enqueue(key: number, frame: Buffer): void {
    this.#queue!.set(key, { bytes: frame.length, frame, push: null })
    this.#queueBytes += frame.length
  }

  #hasRoom(bytes: number, freedBytes: number): boolean {
    const { bytesMax } = this.#options
    return this.#writer.pendingBytes + this.#queueBytes + bytes - freedBytes <= bytesMax
  }

  #reportLag(lost: { id: RpcId; cursor: string } | null): void {
    this.#options.stats.laggedCloses += 1
    this.#options.onLag(lost)
  }
}

/**
 * Writes to the TCP connection under a WebSocket and reports whether the kernel took the bytes.
 * Each write holds whole frames, so control frames that the `ws` library writes itself fall between
 * them.
 */
class SocketWriter {
  readonly #socket: Duplex
  readonly #onDrained: () => void
  readonly #onWritten = (): void => this.#written()
  /** Number of writes whose callback is pending. */
  #writes = 0
  #drains = 0

  /** `onDrained` is called each time the kernel has taken all written bytes. */
  constructor(socket: Duplex, onDrained: () => void) {
    this.#socket = socket
    this.#onDrained = onDrained
  }

  /** Bytes that the kernel has not taken yet. */
  get pendingBytes(): number {
    return this.#socket.writableLength
  }

  /** Counts how often the kernel took all written bytes. Grows while a slow client reads. */
  get drainCount(): number {
    return this.#drains
  }

  /**
   * Returns false if the kernel did not take all bytes. The caller then writes nothing before
   * `onDrained`.
   */
  write(bytes: Buffer): boolean {
    this.#writes += 1
    this.#socket.write(bytes, this.#onWritten)
    return this.#socket.writableLength === 0
  }

  // Counts write callbacks, because the stream's `drain` event only comes after more than the
  // high-water mark was buffered.
  #written(): void {
    this.#writes -= 1
    if (this.#writes > 0) return
    this.#drains += 1
    this.#onDrained()
  }
}
