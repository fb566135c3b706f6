import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../lib/loopback.ts'
import { RequestError } from '../ground/errors.ts'

// More query parameters than any operation has: a longer query is a mistake or an attack.
const paramsMax = 64

const noQuery: ReadonlyMap<string, string[]> = new Map()

/** Parses the query of a request target strictly: invalid percent-encoding and UTF-8 are errors. */
export function parseQuery(url: string): ReadonlyMap<string, string[]> {
  const at = url.indexOf('?')
  if (at < 0 || at === url.length - 1) return noQuery
  const query = new Map<string, string[]>()
  const parts = url.slice(at + 1).split('&')
  if (parts.length > paramsMax)
    throw new RequestError(
      'bad_request',
      `The query has ${parts.length} parameters; at most ${paramsMax} are allowed.`,
      'query',
    )
  for (const part of parts) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decoded(part.slice(equals + 1))
    const values = query.get(name)
    if (values === undefined) query.set(name, [value])
    else values.push(value)
  }
  return query
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new RequestError(
      'bad_request',
      'The query is not valid percent-encoding; write % as %25.',
      'query',
    )
  }
}

/**
 * Returns the value of a query parameter, or undefined if it is absent or empty. Throws if it is
 * repeated.
 */
export function singleParam(
  query: ReadonlyMap<string, string[]>,
  name: string,
): string | undefined {
  const values = query.get(name)
  if (values === undefined) return undefined
  if (values.length > 1)
    throw new RequestError('invalid_param', `Give ${name} once, not ${values.length} times.`, name)
  return values[0] === '' ? undefined : values[0]
}

/**
 * Returns why a request is refused for its Host headers, or null. HTTP/1.1 requires exactly one
 * Host header, HTTP/1.0 allows at most one (RFC 9112, 3.2).
 */
export function hostHeaderError({ rawHeaders, httpVersion }: IncomingMessage): RequestError | null {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    // Compares lengths first, because most header names have another length.
    if (name.length === hostLength && name.toLowerCase() === 'host') count += 1
  }
  if (count === 1 || (count === 0 && httpVersion !== '1.1')) return null
  const found = count === 0 ? 'no Host header' : `${count} Host headers`
  return new RequestError('bad_request', `The request has ${found}; send one.`, 'Host')
}

const hostLength = 'host'.length

const proxyHeader = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

/**
 * Returns why a request may come from another machine, or null if a program on this machine sent
 * it. Headers of proxies can only make a request remote, so a client gains nothing by forging them.
 */
export function remoteReason({ headers, socket, httpVersion }: IncomingMessage): string | null {
  if (!isLoopbackAddress(socket.remoteAddress) || !isLoopbackAddress(socket.localAddress))
    return 'the request came from another machine'
  if (httpVersion !== '1.1' || Object.keys(headers).some((name) => proxyHeader.test(name)))
    return 'the request came through a proxy'
  return null
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && isIP(address) !== 0 && isLoopback(address)
}

/**
 * Returns whether a request asks for a WebSocket. Some HTTP clients offer HTTP/2 with every
 * request; such offers do not count. Neither does an upgrade with a body: no WebSocket client sends
 * a body, and Node 26 would pass a wrapper of the socket, whose bytes it still parses as HTTP.
 */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && !hasBody(headers)
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

type UpgradeOptions = ServerOptions & {
  shouldUpgradeCallback(this: Server, request: IncomingMessage): boolean
}

/**
 * Options that make Node's HTTP server ignore every upgrade that is not a WebSocket. Node 20 does
 * not know this option; there `ignoreUpgrade` does the same. Node 26 drops what a client sends
 * behind the body of an ignored upgrade, and keeps the connection open (docs/reference/rest.md).
 */
export const upgradeOptions: UpgradeOptions = {
  shouldUpgradeCallback(request) {
    return this.listenerCount('upgrade') > 0 && isWebSocketUpgrade(request)
  },
}
