import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../lib/loopback.ts'
import { RequestError } from '../errors.ts'
import { jsonContent } from './answer/exchange.ts'
import type { OpenRoute } from './openRoute.ts'
import type { Router } from './router.ts'
import type { HttpServerOptions } from './serverOptions.ts'

/**
 * Gives the terminal a key by itself, to whom could read the service's files just as well: a page of ours, in a browser on this
 * machine. Everybody else gets the reason, and is asked for a key. A POST: browsers name the origin of every one.
 */
export function addBrowserKeyRoute(
  router: Router,
  openRoute: OpenRoute,
  { browserKeys }: Pick<HttpServerOptions, 'browserKeys'>,
): void {
  router.add(
    'POST',
    '/terminal/key',
    openRoute((exchange) => {
      const { request, apiKey } = exchange
      exchange.field('cache-control', 'no-store')
      const doubt = browserKeys === undefined ? notHere : doubtOf(request)
      if (browserKeys === undefined || doubt !== null)
        throw new RequestError('missing_key', `Enter an API key: ${doubt}.`, 'X-API-KEY')
      const { text, expiresAtS } = browserKeys.give(apiKey)
      return jsonContent({ key: text, expires_at: expiresAtS })
    }),
  )
}

const notHere = 'this service gives none to browsers'
const forwarded = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

/** Why a request may be somebody else's than that of a page of ours on this machine; null: it is such a page's. */
function doubtOf({ headers, socket, httpVersion }: IncomingMessage): string | null {
  if (!isLoopbackAddress(socket.remoteAddress) || !isLoopbackAddress(socket.localAddress))
    return 'the browser is on another machine'
  if (httpVersion !== '1.1' || Object.keys(headers).some((name) => forwarded.test(name)))
    return 'the request came through a proxy'
  const { host = '', origin } = headers
  if (!isOwnHost(host, socket.localPort))
    return 'the page was not opened by an address of this machine'
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  if (origin !== `http://${host}` || site !== 'same-origin')
    return 'the request is not one of a page of this service'
  return null
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && isIP(address) !== 0 && isLoopback(address)
}

/**
 * A name that somebody else's DNS server answers for may lead here, too (DNS rebinding): only names that need none count, and
 * the port that is really listened on.
 */
function isOwnHost(host: string, port: number | undefined): boolean {
  const parts = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/.exec(host)
  return parts !== null && Number(parts[2] ?? 80) === port
}
