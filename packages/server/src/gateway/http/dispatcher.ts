import { RequestError } from '../ground/errors.ts'
import { Exchange, type ExchangeContext } from './answer/exchange.ts'
import type { HandleRequest } from './connections.ts'
import type { PublicRoute } from './publicRoute.ts'
import { hostHeaderError } from './request.ts'
import { handlerOf, type MatchedEndpoint, methodsOf, type Router } from './router.ts'

export type DispatcherOptions = {
  router: Router
  /** Origins whose pages may call the service from a browser. `*` allows all. */
  corsOrigins: readonly string[]
  publicRoute: PublicRoute
  bodyBytesMax: number
}

/**
 * Creates the function that routes every request to its handler. It first checks what holds for all
 * requests: host, origin, path, method and body.
 */
export function createDispatcher(
  { router, corsOrigins, publicRoute, bodyBytesMax }: DispatcherOptions,
  context: ExchangeContext,
): HandleRequest {
  const crossOrigin = createCorsHeaders(corsOrigins)
  const answerPreflight = publicRoute(() => ({ status: 204, fields: [], bytes: null }), {
    isUnlimited: true,
  })
  const refusePath = publicRoute(() => {
    throw new RequestError('not_found', 'No operation has this path.', 'path')
  })

  function handle(exchange: Exchange): void {
    const found = find(exchange)
    const isPreflight = crossOrigin(exchange, found?.endpoint.name ?? '')
    const fault = hostHeaderError(exchange.request)
    if (fault !== null) throw fault
    if (isPreflight) {
      answerPreflight(exchange)
      return
    }
    const handler = found === null ? refusePath : handlerOf(found.endpoint, exchange.method)
    if (found !== null && handler !== undefined) {
      exchange.routeName = found.endpoint.name
      exchange.id = found.id
    }
    const answer = handler ?? methodRefusal(methodsOf(found!.endpoint))
    // A body of a GET or HEAD has no meaning (RFC 9110, 9.3.1); Node skips it.
    if (exchange.method === 'GET' || exchange.method === 'HEAD') answer(exchange)
    else exchange.readBody(bodyBytesMax, () => answer(exchange))
  }

  function find(exchange: Exchange): MatchedEndpoint | null {
    try {
      return router.find(exchange.url)
    } catch (error) {
      // CORS headers are set first, so that a page can read why its path is refused.
      crossOrigin(exchange, '')
      throw error
    }
  }

  function methodRefusal(methods: readonly string[]) {
    return publicRoute((exchange) => {
      exchange.setHeader('allow', methods.join(', '))
      throw new RequestError(
        'method_not_allowed',
        `This path answers to ${methods.join(', ')}.`,
        'method',
      )
    })
  }

  return (request, response) => {
    const exchange = new Exchange(request, response, context)
    try {
      handle(exchange)
    } catch (error) {
      exchange.sendError([], error)
    }
  }
}

/**
 * Sets the CORS headers of an answer, given the matched route. Returns true for a preflight
 * request, which a 204 answers.
 */
type SetCorsHeaders = (exchange: Exchange, route: string) => boolean

// Seconds for which a browser may cache a preflight answer. Browsers have limits of their own (two
// hours in Chromium, a day in Firefox).
const preflightCacheS = 7_200

const exposedFields =
  'X-CU-Cost, X-CU-Remaining, RateLimit, RateLimit-Policy, Retry-After, ETag, Warning'

/**
 * Lets pages of these origins call the service (CORS, Fetch standard 3.2); `*` allows any origin.
 * No cookie identifies a caller, so an answer reveals nothing to a page beyond what its API key
 * does. Routes in `sameOriginRoutes` are closed to other origins.
 */
function createCorsHeaders(origins: readonly string[]): SetCorsHeaders {
  const isOpen = origins.includes('*')
  return (exchange, route) => {
    const { headers } = exchange.request
    const { origin } = headers
    if (origin === undefined || isSameOriginOnly(route)) return false
    exchange.varyBy('origin')
    if (!isOpen && !origins.includes(origin)) return false
    exchange.setHeader('access-control-allow-origin', isOpen ? '*' : origin)
    const isPreflight = exchange.method === 'OPTIONS' && 'access-control-request-method' in headers
    if (isPreflight) allowPreflight(exchange)
    else exchange.setHeader('access-control-expose-headers', exposedFields)
    return isPreflight
  }
}

function allowPreflight(exchange: Exchange): void {
  exchange.setHeader('access-control-allow-methods', 'GET, HEAD, POST')
  exchange.setHeader('access-control-allow-headers', 'X-API-KEY, Content-Type')
  exchange.setHeader('access-control-max-age', `${preflightCacheS}`)
}

const sameOriginRoutes = ['/admin/', '/terminal/', '/health/', '/metrics']

const isSameOriginOnly = (route: string) => sameOriginRoutes.some((own) => route.startsWith(own))
