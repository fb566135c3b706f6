import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errorBody } from '@chaintape/protocol'

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void

export type SendLimits = {
  /** Time a reader has to take an answer. */
  sendMsMax: number
  /** Answers of all connections that wait for their readers. */
  unsentBytesMax: number
}

/** The connections of a server. Each has one answer under way. */
export type Connections = {
  attach(server: Server): void
  /** Whether a request of the connection is being answered. */
  isBusy(socket: object): boolean
  /** Gives a connection away. Returns what was sent and not parsed. */
  release(socket: object): Buffer
  /** From now on each connection ends after the answer that is under way. */
  close(): void
}

// How often in the time that readers have it is looked for those who do not read.
const checks = 4

/** A peer that does not close its side in this time is cut off: it would hold a connection for nothing. */
export const lingerMs = 1_000

/** A server's connections, whose requests this function answers. */
export function createConnections(handle: HandleRequest, limits: SendLimits): Connections {
  const connections = new Map<object, Connection>()
  let isClosing = false
  const timer = setInterval(cutOffUnread, Math.min(1_000, Math.ceil(limits.sendMsMax / checks)))
  timer.unref()

  function open(socket: Socket): void {
    connections.set(socket, new Connection(socket, () => isClosing))
    // An upgrade that is ignored opens the same socket again.
    socket.off('close', forget).once('close', forget)
  }

  function forget(this: Socket): void {
    connections.delete(this)
  }

  function enter(request: IncomingMessage, response: ServerResponse): void {
    if (connections.get(request.socket)?.begin(response) !== false) handle(request, response)
  }

  /** Cuts off readers that do not take their answers in time, and while too much waits those that have waited longest. */
  function cutOffUnread(): void {
    const nowMs = performance.now()
    const unread: { connection: Connection; ms: number; bytes: number }[] = []
    let bytesSum = 0
    for (const connection of connections.values()) {
      const bytes = connection.unsentBytes
      if (bytes === 0) continue
      unread.push({ connection, ms: connection.unsentMs(nowMs), bytes })
      bytesSum += bytes
    }
    unread.sort((a, b) => b.ms - a.ms)
    for (const { connection, ms, bytes } of unread) {
      if (ms < limits.sendMsMax && bytesSum <= limits.unsentBytesMax) break
      connection.socket.destroy()
      bytesSum -= bytes
    }
  }

  return {
    attach(server) {
      server.on('connection', open)
      server.on('request', enter)
      // Only the expectation 100-continue has a meaning; others may be ignored (RFC 9110, 10.1.1).
      server.on('checkExpectation', enter)
      server.on('clientError', (error, socket) => {
        const connection = connections.get(socket)
        if (connection === undefined) socket.destroy()
        else connection.refuse(error)
      })
    },
    isBusy: (socket) => connections.get(socket)?.isBusy ?? false,
    release(socket) {
      const unparsed = connections.get(socket)?.release() ?? noBytes
      connections.delete(socket)
      return unparsed
    },
    close() {
      isClosing = true
      clearInterval(timer)
      // Node waits for a first request as if it had begun.
      for (const { socket } of connections.values()) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}

const noBytes = Buffer.alloc(0)
// First byte of HEAD; no other method begins with an H.
const headStart = 0x48
// Most heads have some hundred bytes.
const headBytesMax = 1_024
// Size of a slice of a body: some 50 requests fit behind one.
const sliceBytesMax = 2_048

/**
 * A connection with one answer under way. A client that sends a request before it has the answer to the one before gets that
 * answer, and then the end of the connection (RFC 9112, 9.3.2: it sends the rest again).
 *
 * It hands Node's parser what it reads in slices that end where the first request may end, in place of up to 64 KiB at once:
 * Node has no public way to stop its parser, which makes a request of every part of it, and aborting each costs more again.
 * Without slices the p99 of a good client beside 10 connections that pipeline is 37 to 72 times that of an idle service, and
 * beside 60 more than 1,000 times; with slices 1.3 and 2.7 times (bench/README.md).
 */
class Connection {
  readonly socket: Socket
  readonly #isClosing: () => boolean
  /** Node's own listener, which parses bytes. */
  readonly #parse: (bytes: Buffer) => void
  #unparsed: Buffer = noBytes
  /** The bytes parsed since the last request are the start of another. */
  #isBegun = false
  /** Its method is HEAD, whose answer has no body. */
  #isHead = false
  #current: ServerResponse | null = null
  /** Nothing that comes is looked at any more. */
  #isOver = false
  #isRefused = false
  /** When the answer was first seen to wait for its reader. */
  #unsentSinceMs: number | null = null

  constructor(socket: Socket, isClosing: () => boolean) {
    this.socket = socket
    this.#isClosing = isClosing
    this.#parse = socket.listeners('data')[0] as (bytes: Buffer) => void
    socket.off('data', this.#parse)
    socket.on('data', this.#onData)
  }

  get isBusy(): boolean {
    return this.#current !== null
  }

  /** Bytes of the current answer that its reader has not taken. */
  get unsentBytes(): number {
    return this.#current?.headersSent === true ? this.socket.writableLength : 0
  }

  /** For how long the answer has waited for its reader, as far as was asked. */
  unsentMs(nowMs: number): number {
    this.#unsentSinceMs ??= nowMs
    return nowMs - this.#unsentSinceMs
  }

  /** Returns false where a request is being answered: this one never is. */
  begin(response: ServerResponse): boolean {
    if (this.#current !== null) {
      this.#endAfterAnswer(this.#current)
      return false
    }
    this.#isBegun = false
    this.#current = response
    this.#unsentSinceMs = null
    response.once('close', this.#onAnswered)
    return true
  }

  /** Another reads what comes from now on. Returns what was sent and not parsed. */
  release(): Buffer {
    this.socket.off('data', this.#onData)
    this.#isOver = true
    return this.#unparsed
  }

  /** Answers bytes that are not HTTP, or that come too slowly, on the bare socket, and ends the connection. */
  refuse(error: ClientError): void {
    const { socket } = this
    if (this.#isRefused) return
    // The bytes came behind a request whose answer is under way.
    if (this.#current?.req.complete && socket.writable) {
      this.#endAfterAnswer(this.#current)
      return
    }
    this.#isOver = true
    // After a part of an answer more bytes would be taken for the rest of it.
    if (!socket.writable || error.code === 'ECONNRESET' || this.#current?.headersSent) {
      socket.destroy()
      return
    }
    this.#isRefused = true
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
    socket.end(rawErrorResponse(error, this.#isBegun && this.#isHead))
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isOver) return
    this.#unparsed = chunk
    if (this.#current === null && !this.#isBegun) {
      this.#isBegun = true
      this.#isHead = chunk[0] === headStart
    }
    let sliceBytes = this.#current === null ? headBytes(chunk) : sliceBytesMax
    while (this.#unparsed.length > 0 && !this.#isOver) {
      const slice = this.#unparsed.subarray(0, sliceBytes)
      this.#unparsed = this.#unparsed.subarray(sliceBytes)
      if (this.#current?.req.complete) this.#endAfterAnswer(this.#current)
      else this.#parse(slice)
      // Empty lines before a request are not parsed one by one.
      sliceBytes = sliceBytesMax
    }
  }

  #endAfterAnswer(response: ServerResponse): void {
    if (this.#isOver) return
    this.#isOver = true
    this.socket.pause()
    if (!response.headersSent) response.setHeader('connection', 'close')
  }

  readonly #onAnswered = (): void => {
    this.#current = null
    if (this.#isOver) this.socket.destroySoon()
    else if (this.#isClosing()) this.socket.end()
  }
}

/** Where the first request of these bytes may end: behind its head, if the head is short. */
function headBytes(bytes: Buffer): number {
  const end = bytes.subarray(0, headBytesMax).indexOf(headEnd)
  return end < 0 ? headBytesMax : end + headEnd.length
}

const headEnd = '\r\n\r\n'

type ClientError = Error & { code?: string }

const statusTexts: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function rawErrorResponse({ code }: ClientError, isHead: boolean): string {
  const [status, sentence]: [number, string] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The request headers are too large.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request took too long to arrive.']
        : [400, 'The request is not valid HTTP.']
  const body = JSON.stringify(errorBody('bad_request', sentence))
  return [
    `HTTP/1.1 ${status} ${statusTexts[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    isHead ? '' : body,
  ].join('\r\n')
}
