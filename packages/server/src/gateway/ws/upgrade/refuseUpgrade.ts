import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, errorSpecs } from '@chaintape/protocol'
import type { RequestError } from '../../errors.ts'
import { lingerMs } from '../../http/connections.ts'

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
  const timer = setTimeout(() => socket.destroy(), lingerMs)
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
