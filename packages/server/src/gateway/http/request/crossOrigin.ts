import type { Exchange } from '../answer/exchange.ts'

/** Tells a request's browser whether its page may read the answer. True: that is all it asks, and 204 answers it. */
export type CrossOrigin = (exchange: Exchange) => boolean

// A browser may ask less often than its own limit allows (two hours in Chromium, a day in Firefox).
const preflightKeptS = 7_200

const exposedFields =
  'X-CU-Cost, X-CU-Remaining, RateLimit, RateLimit-Policy, Retry-After, ETag, Warning'

/**
 * Pages of these origins may call the service (CORS, Fetch standard 3.2); `*`: of any. No cookie identifies a caller, so an
 * answer tells a page nothing that the key in its hands would not. The admin API is not for pages of others, nor are the keys of
 * the terminal.
 */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const isOpen = origins.includes('*')
  return (exchange) => {
    const { headers } = exchange.request
    const { origin } = headers
    if (origin === undefined || isOwn(exchange.url)) return false
    exchange.varyBy('origin')
    if (!isOpen && !origins.includes(origin)) return false
    exchange.field('access-control-allow-origin', isOpen ? '*' : origin)
    const isPreflight = exchange.method === 'OPTIONS' && 'access-control-request-method' in headers
    if (isPreflight) allow(exchange)
    else exchange.field('access-control-expose-headers', exposedFields)
    return isPreflight
  }
}

function allow(exchange: Exchange): void {
  exchange.field('access-control-allow-methods', 'GET, HEAD, POST')
  exchange.field('access-control-allow-headers', 'X-API-KEY, Content-Type')
  exchange.field('access-control-max-age', `${preflightKeptS}`)
}

const isOwn = (url: string) => url.startsWith('/admin') || url.startsWith('/terminal')
