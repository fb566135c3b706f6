import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errorBody } from '@chaintape/protocol'

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void

export type AnswerReadLimits = {
  /** Time a client has to read an answer. */
  sendMsMax: number
  /** Total bytes of answers that clients have not read yet, over all connections. */
  unsentBytesMax: number
}

/** The HTTP connections of a server. Each connection has one answer under way. */
export type HttpConnections = {
  attach(server: Server): void
  /** Returns whether a request of this connection is being answered. */
  isBusy(socket: object): boolean
  /**
   * Gives up control of a connection, for an upgrade. Returns the received bytes that are not
   * parsed yet.
   */
  release(socket: object): Buffer
  /** Makes each connection end after the answer that is under way. */
  close(): void
}

// Number of checks for clients that do not read, per `sendMsMax`.
const readChecks = 4

/** Time a client has to close its side of an ended connection. After that it is disconnected. */
export const closeTimeoutMs = 1_000

/** Tracks the connections of a server. `handle` answers their requests. */
export function createHttpConnections(
  handle: HandleRequest,
  limits: AnswerReadLimits,
): HttpConnections {
  const connections = new Map<object, Connection>()
  let isClosing = false
  const timer = setInterval(cutOffUnread, Math.min(1_000, Math.ceil(limits.sendMsMax / readChecks)))
  timer.unref()

  function open(socket: Socket): void {
    connections.set(socket, new Connection(socket, () => isClosing))
    // The same socket can connect twice: `ignoreUpgrade` hands it back to the server.
    socket.off('close', forget).once('close', forget)
  }

  function forget(this: Socket): void {
    connections.delete(this)
  }

  function enter(request: IncomingMessage, response: ServerResponse): void {
    if (connections.get(request.socket)?.begin(response) !== false) handle(request, response)
  }

  /**
   * Disconnects clients that do not read their answers in time. While total unread bytes are over
   * the limit, also disconnects those that have waited longest.
   */
  function cutOffUnread(): void {
    const nowMs = performance.now()
    const unread: { connection: Connection; ms: number; bytes: number }[] = []
    let bytesSum = 0
    for (const connection of connections.values()) {
      const bytes = connection.unreadBytes
      if (bytes === 0) continue
      unread.push({ connection, ms: connection.unreadMs(nowMs), bytes })
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
      // Closes idle connections, because Node would wait for their first request as if it had
      // begun.
      for (const { socket } of connections.values()) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}

const noBytes = Buffer.alloc(0)
// First byte of HEAD. No other HTTP method begins with H.
const headStart = 0x48
// Most request heads have a few hundred bytes.
const headBytesMax = 1_024
// Slice of a body that the parser gets at once. About 50 pipelined requests fit into the rest of a
// slice.
const sliceBytesMax = 2_048

/**
 * An HTTP connection with one answer under way. A client that sends a second request before its
 * answer gets that answer, and then the end of the connection. RFC 9112, 9.3.2 makes the client
 * send the rest again.
 * Node's parser gets received bytes in slices that end where the first request may end, instead of
 * up to 64 KiB at once. Node has no public way to stop its parser, which makes a request of every
 * part of the bytes, and aborting each costs even more.
 * Without slices, the p99 of a good client beside 10 connections that pipeline is 37 to 72 times
 * that of an idle service, and beside 60 more than 1,000 times; with slices 1.3 and 2.7 times
 * (bench/README.md).
 */
class Connection {
  readonly socket: Socket
  readonly #isClosing: () => boolean
  /** Node's own `data` listener, which parses HTTP. */
  readonly #parse: (bytes: Buffer) => void
  #unparsed: Buffer = noBytes
  /** True if the bytes parsed since the last request are the start of another request. */
  #hasPartialRequest = false
  /** True if the request being parsed is a HEAD, whose answer has no body. */
  #isHead = false
  #pendingResponse: ServerResponse | null = null
  /** True once all further bytes are ignored. */
  #isIgnoringInput = false
  #isRefused = false
  /** When the current answer was first seen to wait for the client. Null until then. */
  #unreadSinceMs: number | null = null

  constructor(socket: Socket, isClosing: () => boolean) {
    this.socket = socket
    this.#isClosing = isClosing
    this.#parse = socket.listeners('data')[0] as (bytes: Buffer) => void
    socket.off('data', this.#parse)
    socket.on('data', this.#onData)
  }

  get isBusy(): boolean {
    return this.#pendingResponse !== null
  }

  /** Bytes of the current answer that the client has not read. */
  get unreadBytes(): number {
    return this.#pendingResponse?.headersSent === true ? this.socket.writableLength : 0
  }

  /**
   * Returns for how long the current answer has waited for the client, counted from the first call.
   */
  unreadMs(nowMs: number): number {
    this.#unreadSinceMs ??= nowMs
    return nowMs - this.#unreadSinceMs
  }

  /**
   * Starts answering a request. Returns false while another request is being answered; the new
   * request is then dropped.
   */
  begin(response: ServerResponse): boolean {
    if (this.#pendingResponse !== null) {
      this.#endAfterAnswer(this.#pendingResponse)
      return false
    }
    this.#hasPartialRequest = false
    this.#pendingResponse = response
    this.#unreadSinceMs = null
    response.once('close', this.#onAnswered)
    return true
  }

  /**
   * Hands the socket over to another reader. Returns the received bytes that are not parsed yet.
   */
  release(): Buffer {
    this.socket.off('data', this.#onData)
    this.#isIgnoringInput = true
    return this.#unparsed
  }

  /**
   * Answers bytes that are not HTTP, or that come too slowly, on the bare socket. Then ends the
   * connection.
   */
  refuse(error: ClientError): void {
    const { socket } = this
    if (this.#isRefused) return
    // The bytes follow a complete request, whose answer is sent first.
    if (this.#pendingResponse?.req.complete && socket.writable) {
      this.#endAfterAnswer(this.#pendingResponse)
      return
    }
    this.#isIgnoringInput = true
    // After a part of an answer, the client would take an error for the rest of that answer.
    if (!socket.writable || error.code === 'ECONNRESET' || this.#pendingResponse?.headersSent) {
      socket.destroy()
      return
    }
    this.#isRefused = true
    const timer = setTimeout(() => socket.destroy(), closeTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
    socket.end(rawErrorResponse(error, this.#hasPartialRequest && this.#isHead))
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isIgnoringInput) return
    this.#unparsed = chunk
    if (this.#pendingResponse === null && !this.#hasPartialRequest) {
      this.#hasPartialRequest = true
      this.#isHead = chunk[0] === headStart
    }
    let sliceBytes = this.#pendingResponse === null ? firstRequestEnd(chunk) : sliceBytesMax
    while (this.#unparsed.length > 0 && !this.#isIgnoringInput) {
      const slice = this.#unparsed.subarray(0, sliceBytes)
      this.#unparsed = this.#unparsed.subarray(sliceBytes)
      if (this.#pendingResponse?.req.complete) this.#endAfterAnswer(this.#pendingResponse)
      else this.#parse(slice)
      // Only the first slice ends at a head. Otherwise empty lines before a request would be parsed
      // one by one.
      sliceBytes = sliceBytesMax
    }
  }

  #endAfterAnswer(response: ServerResponse): void {
    if (this.#isIgnoringInput) return
    this.#isIgnoringInput = true
    this.socket.pause()
    if (!response.headersSent) response.setHeader('connection', 'close')
  }

  readonly #onAnswered = (): void => {
    this.#pendingResponse = null
    if (this.#isIgnoringInput) this.socket.destroySoon()
    else if (this.#isClosing()) this.socket.end()
  }
}

/** Returns where the first request of these bytes may end: after its head, if the head is short. */
function firstRequestEnd(bytes: Buffer): number {
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
