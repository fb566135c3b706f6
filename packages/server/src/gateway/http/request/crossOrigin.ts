import type { Exchange } from '../answer/exchange.ts'

/**
 * Tells a request's browser whether its page may read the answer of the route that was found. True: that is all it asks,
 * and 204 answers it.
 */
export type CrossOrigin = (exchange: Exchange, route: string) => boolean

// A browser may ask less often than its own limit allows (two hours in Chromium, a day in Firefox).
const preflightKeptS = 7_200

const exposedFields =
  'X-CU-Cost, X-CU-Remaining, RateLimit, RateLimit-Policy, Retry-After, ETag, Warning'

/**
 * Pages of these origins may call the service (CORS, Fetch standard 3.2); `*`: of any. No cookie identifies a caller, so an
 * answer tells a page nothing that the key in its hands would not. Routes in `ownRoutes` are not for pages of others.
 */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const isOpen = origins.includes('*')
  return (exchange, route) => {
    const { headers } = exchange.request
    const { origin } = headers
    if (origin === undefined || isOwn(route)) return false
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

const ownRoutes = ['/admin/', '/terminal/', '/health/', '/metrics']

const isOwn = (route: string) => ownRoutes.some((own) => route.startsWith(own))
