import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void

// Node reads up to 64 KiB at once and would make a request of every part of it, which may be thousands. One is made of what ends
// with its head, if that is within some hundred bytes; of a long one, a body, each part may be twice the one before.
export const sliceBytesMin = 1_024
const sliceBytesMax = 4_096
const headEnd = Buffer.from('\r\n\r\n')
const headMethod = Buffer.from('HEAD ')

type Waiting = { request: IncomingMessage; response: ServerResponse }

/**
 * The requests of one connection, one after another: the next is begun when the answer to the one before it was handed
 * over, and what was sent behind them is not even parsed. So however much a connection sends, and however little it reads,
 * it has one answer under way.
 */
export class RequestLine {
  readonly #socket: Socket
  readonly #handle: HandleRequest
  readonly #isClosing: () => boolean
  /** Node's own, which makes requests of bytes. */
  readonly #parse: (bytes: Buffer) => void
  /** Sent and not parsed; null: nothing. */
  #held: Buffer | null = null
  #waiting: Waiting[] = []
  #current: ServerResponse | null = null
  /** Whatever comes is not read any more, or read by somebody else. */
  #isOver = false
  /** What has been parsed since the last request is the beginning of one. */
  #isBegun = false
  /** That of a HEAD. */
  #isHead = false
  /** When the answer was first seen to wait for its reader. */
  #unsentSinceMs: number | null = null

  constructor(socket: Socket, handle: HandleRequest, isClosing: () => boolean) {
    this.#socket = socket
    this.#handle = handle
    this.#isClosing = isClosing
    this.#parse = socket.listeners('data')[0] as (bytes: Buffer) => void
    socket.off('data', this.#parse)
    socket.on('data', this.#onData)
  }

  get isBusy(): boolean {
    return this.#current !== null
  }

  /** Is it a HEAD, whose answer has no body, that is being read? */
  get isReadingHead(): boolean {
    return this.#isBegun && this.#isHead
  }

  /** What of the answer under way its reader has not taken. */
  get unsentBytes(): number {
    return this.#current?.headersSent === true ? this.#socket.writableLength : 0
  }

  /** For how long the whole answer has waited for its reader, as far as was asked. */
  unsentMs(nowMs: number): number {
    if (this.unsentBytes === 0) return 0
    this.#unsentSinceMs ??= nowMs
    return nowMs - this.#unsentSinceMs
  }

  enter(request: IncomingMessage, response: ServerResponse): void {
    this.#isBegun = false
    if (this.#current === null) this.#begin(request, response)
    else this.#waiting.push({ request, response })
  }

  /** Whoever takes the connection on gets what was sent and not parsed. */
  release(): Buffer | null {
    this.#socket.off('data', this.#onData)
    if (this.#socket.isPaused()) this.#socket.resume()
    return this.stop()
  }

  /** What comes from now on is not looked at. */
  stop(): Buffer | null {
    const held = this.#held
    this.#isOver = true
    this.#held = null
    return held
  }

  /** Node waits for a first request as if it had begun. */
  closeUnused(): void {
    if (this.#socket.bytesRead === 0) this.cutOff()
  }

  cutOff(): void {
    this.stop()
    this.#waiting = []
    this.#socket.destroy()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isOver) return
    this.#held = this.#held === null ? chunk : Buffer.concat([this.#held, chunk])
    this.#feed()
  }

  #feed(): void {
    let sliceBytes = this.#current === null ? headBytes(this.#held) : sliceBytesMin
    while (this.#held !== null && this.#isReading()) {
      const held: Buffer = this.#held
      if (!this.#isBegun && this.#current === null) {
        this.#isBegun = true
        this.#isHead = isHead(held)
      }
      this.#held = held.length > sliceBytes ? held.subarray(sliceBytes) : null
      this.#parse(this.#held === null ? held : held.subarray(0, sliceBytes))
      sliceBytes = Math.min(Math.max(sliceBytes * 2, sliceBytesMin), sliceBytesMax)
    }
    if (this.#isOver) return
    if (this.#held !== null || this.#waiting.length > 0) this.#socket.pause()
    else if (this.#socket.isPaused()) this.#socket.resume()
  }

  /** Is there no request yet, or a part of one? */
  #isReading(): boolean {
    return this.#waiting.length === 0 && this.#current?.req.complete !== true
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#current = response
    this.#unsentSinceMs = null
    response.on('close', this.#onAnswered)
    this.#handle(request, response)
  }

  readonly #onAnswered = (): void => {
    this.#current = null
    if (this.#socket.destroyed) return
    const next = this.#waiting.shift()
    if (next !== undefined) this.#begin(next.request, next.response)
    else this.#feed()
    if (this.#current === null && this.#isClosing()) this.#socket.end()
  }
}

/** Of the first request, as far as it is worth looking for. Byte by byte: for so few a call out of JavaScript takes longer. */
export function headBytes(held: Buffer | null): number {
  if (held === null) return sliceBytesMin
  const lastAt = Math.min(held.length, sliceBytesMin) - headEnd.length
  for (let at = 0; at <= lastAt; at += 1) {
    // In most steps of four, no byte can be one of the end.
    const last = held[at + headEnd.length - 1]!
    if (last !== cr && last !== lf) at += headEnd.length - 1
    else if (isAt(held, at, headEnd)) return at + headEnd.length
  }
  return sliceBytesMin
}

const cr = 0x0d
const lf = 0x0a

function isHead(held: Buffer): boolean {
  return held.length >= headMethod.length && isAt(held, 0, headMethod)
}

function isAt(held: Buffer, from: number, bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (held[from + at] !== bytes[at]) return false
  return true
}
