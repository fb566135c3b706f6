import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

const upgradeHeaders: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings'])

/** Some HTTP clients offer HTTP/2 with every request; that is no wish for a WebSocket. */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Answers a request as if it had not asked for an upgrade (RFC 9110, 7.8). The HTTP server has let go of the connection
 * by now, so it is given back with the request's own bytes, less the upgrade.
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
