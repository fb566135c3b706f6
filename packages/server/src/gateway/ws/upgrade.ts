import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, errorSpecs } from '@chaintape/protocol'
import { type WebSocket, WebSocketServer } from 'ws'
import { isRateLimited } from '../clients/anonymousClients.ts'
import type { Clients } from '../clients/clients.ts'
import { RequestError } from '../ground/errors.ts'
import { closeTimeoutMs } from '../http/connections.ts'
import { hostHeaderError } from '../http/request.ts'
import type { SocketCaller, SocketKeyAccess } from '../keys/keySockets.ts'
import { canInflateSharedTail } from './sending/frames.ts'
import type { WsLimits } from './wsLimits.ts'

/**
 * Key holder that asks for a WebSocket. A rejection is sent as an error message on the opened
 * WebSocket.
 */
export type UpgradeCaller = SocketCaller | Promise<SocketCaller>

/**
 * Identifies the client of an upgrade. Returns null if the client's address is over its limits; the
 * client then got an HTTP error.
 */
export function createUpgradeAuth(
  keys: SocketKeyAccess,
  { addresses, usage, anonymousClients }: Clients,
): (request: IncomingMessage, socket: Duplex) => UpgradeCaller | null {
  /**
   * Enforces `address_connections_max` behind a proxy, where each WebSocket counts as a connection
   * of its client. Returns false at the limit.
   */
  function admit(request: IncomingMessage, socket: Duplex): boolean {
    if (addresses.ofPeer(request.socket.remoteAddress) !== null) return true
    const address = addresses.ofRequest(request)
    if (!usage.connect(address)) return false
    socket.once('close', () => usage.disconnect(address))
    return true
  }

  function identify(request: IncomingMessage): UpgradeCaller {
    try {
      const found = keys.identify(apiKeyOfUpgrade(request))
      if (found instanceof Promise)
        found.catch((error) => anonymousClients.keyErrorOf(request, error))
      return found
    } catch (error) {
      const refused = anonymousClients.keyErrorOf(request, error)
      if (isRateLimited(refused)) throw refused
      return deferError(error)
    }
  }

  return (request, socket) => {
    try {
      if (!admit(request, socket)) throw tooManyOfAddress()
      return identify(request)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refuseUpgrade(socket, error)
      return null
    }
  }
}

function tooManyOfAddress(): RequestError {
  return new RequestError(
    'limit_exceeded',
    'Your address has reached its limit of connections (address_connections_max); close some first.',
  )
}

/** Defers an error until after the handshake, where it is sent on the WebSocket. */
function deferError(error: unknown): Promise<SocketCaller> {
  const refused = Promise.reject<SocketCaller>(error)
  refused.catch(() => undefined)
  return refused
}

const paths: ReadonlySet<string> = new Set(['/', '/ws'])

/** Returns whether a path accepts WebSockets: `/` and `/ws` do. */
export function isWebSocketPath(url: string | undefined): boolean {
  return paths.has((url ?? '').split('?', 1)[0]!)
}

/**
 * Returns the API key of an upgrade: from the X-API-KEY header, or from the query for browsers,
 * which cannot set headers.
 */
export function apiKeyOfUpgrade({ headers, url = '' }: IncomingMessage): string | undefined {
  const header = headers['x-api-key']
  if (header !== undefined) return Array.isArray(header) ? header.join() : header
  const query = url.indexOf('?')
  if (query === -1) return undefined
  return new URLSearchParams(url.slice(query + 1)).get('api_key') ?? undefined
}

type Handshake = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  onOpen: (webSocket: WebSocket, isDeflated: boolean) => void,
) => void

/** Runs the handshake of the `ws` library, and reports whether compression was negotiated. */
export function createHandshake(limits: WsLimits, isCompressionEnabled: boolean): Handshake {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // `Connection` answers pings, because it knows whether the client reads.
    autoPong: false,
    maxPayload: limits.messageBytesMax,
    perMessageDeflate: isCompressionEnabled
      ? { serverNoContextTakeover: true, clientNoContextTakeover: true }
      : false,
  })
  let extensions: string | undefined
  server.on('headers', (headers) => {
    extensions = headers.find((header) => /^sec-websocket-extensions:/i.test(header))
  })
  return (request, socket, head, onOpen) => {
    // The `ws` library emits `headers` and calls back before `handleUpgrade` returns.
    extensions = undefined
    server.handleUpgrade(request, socket, head, (webSocket) =>
      onOpen(webSocket, canInflateSharedTail(extensions)),
    )
  }
}

/** Answers a refused upgrade with an HTTP error, on the bare socket. */
export function refuseUpgrade(
  socket: Duplex,
  { wireCode, shortMessage, param, retryAfterS }: RequestError,
): void {
  const { httpStatus } = errorSpecs[wireCode]
  const waitS = retryAfterS ?? (httpStatus === 503 ? 1 : undefined)
  const body = JSON.stringify(errorBody(wireCode, shortMessage, param))
  socket.on('error', () => socket.destroy())
  // A client that does not read the error is disconnected all the same.
  const timer = setTimeout(() => socket.destroy(), closeTimeoutMs)
  socket.once('close', () => clearTimeout(timer))
  socket.once('finish', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...(waitS === undefined ? [] : [`Retry-After: ${waitS}`]),
      '',
      body,
    ].join('\r\n'),
  )
}

const upgradeHeaders: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings'])

/**
 * Answers a request as if it had not asked for an upgrade (RFC 9110, 7.8). The HTTP server has
 * released the connection by then, so it gets the connection back with the request's own bytes,
 * without the upgrade headers. Only Node 20 needs this: newer versions ask `upgradeOptions` first.
 */
export function ignoreUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  body: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!upgradeHeaders.has(rawHeaders[index]!.toLowerCase()))
      lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  socket.unshift(Buffer.concat([head, body]))
  server.emit('connection', socket)
}

/**
 * Returns the error for an upgrade that the server refuses for any client: a bad Host header, a
 * path without WebSockets, or `socketsMax` open sockets. Null if the upgrade may go on.
 */
export function upgradeRefusal(
  request: IncomingMessage,
  count: number,
  socketsMax: number,
): RequestError | null {
  const fault = hostHeaderError(request)
  if (fault !== null) return fault
  if (!isWebSocketPath(request.url))
    return new RequestError('not_found', 'WebSockets are served at / and /ws.', 'path')
  if (count < socketsMax) return null
  return new RequestError(
    'unavailable',
    'This server accepts no more WebSockets now (sockets_max); try again soon.',
  )
}
