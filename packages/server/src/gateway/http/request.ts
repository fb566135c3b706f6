import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../lib/loopback.ts'
import { RequestError } from '../errors.ts'

// More parameters than any operation has: a longer list is a mistake or an attack.
const paramsMax = 64

const noQuery: ReadonlyMap<string, string[]> = new Map()

/** The query of a request target, decoded strictly: bad percent-encoding and UTF-8 are errors, not guesses. */
export function queryOf(url: string): ReadonlyMap<string, string[]> {
  const at = url.indexOf('?')
  if (at < 0 || at === url.length - 1) return noQuery
  const query = new Map<string, string[]>()
  const parts = url.slice(at + 1).split('&')
  if (parts.length > paramsMax)
    throw new RequestError('bad_request', `The query has over ${paramsMax} parameters.`, 'query')
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
    throw new RequestError('bad_request', 'The query is not valid percent-encoding.', 'query')
  }
}

/** The value of a parameter; undefined: it is absent or empty. */
export function singleOf(query: ReadonlyMap<string, string[]>, name: string): string | undefined {
  const values = query.get(name)
  if (values === undefined) return undefined
  if (values.length > 1)
    throw new RequestError('invalid_param', `Give ${name} once, not ${values.length} times.`, name)
  return values[0] === '' ? undefined : values[0]
}

/**
 * Why a request is refused for its Host headers; null: they are fine. HTTP/1.1 has exactly one,
 * HTTP/1.0 at most one (RFC 9112, 3.2).
 */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): RequestError | null {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    // Most names have another length.
    if (name.length === hostLength && name.toLowerCase() === 'host') count += 1
  }
  if (count === 1 || (count === 0 && httpVersion !== '1.1')) return null
  const found = count === 0 ? 'no Host header' : `${count} Host headers`
  return new RequestError('bad_request', `The request has ${found}; send one.`, 'Host')
}

const hostLength = 'host'.length

const proxyHeader = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

/**
 * Why a request may come from another machine; null: a program on this machine sent it. Headers that proxies add only ever
 * make a request remote, so a client gains nothing by sending them.
 */
export function remoteDoubt({ headers, socket, httpVersion }: IncomingMessage): string | null {
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
 * Some HTTP clients offer HTTP/2 with every request: these ask for no WebSocket. Neither does a request with a body: no
 * WebSocket client sends one, and Node 26 would pass a wrapper of its socket, whose bytes it still parses as HTTP.
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
 * Options of Node's server: it answers every other request as if it offered no upgrade. Node 20 does not know this option;
 * there `ignoreUpgrade` does the same. Node 26 drops what a client sends behind the body of such a request, and the
 * connection stays open: docs/rest.md says so.
 */
export const upgradeOptions: UpgradeOptions = {
  shouldUpgradeCallback(request) {
    return this.listenerCount('upgrade') > 0 && isWebSocketUpgrade(request)
  },
}
