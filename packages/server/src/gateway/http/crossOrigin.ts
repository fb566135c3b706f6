import type { IncomingMessage, ServerResponse } from 'node:http'

/** Tells a request's browser whether its page may read the answer. True: that was all it asked, and it is answered. */
export type CrossOrigin = (request: IncomingMessage, response: ServerResponse) => boolean

// A browser may ask less often than its own limit allows (two hours in Chromium, a day in Firefox).
const preflightKeptS = 7_200

const exposedFields = 'X-CU-Cost, X-CU-Remaining, RateLimit, RateLimit-Policy, Retry-After'

/**
 * Pages of these origins may call the service (CORS, Fetch standard 3.2); `*`: of any. No cookie identifies a caller, so an
 * answer tells a page nothing that the key in its hands would not. The admin API is not for pages.
 */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const isOpen = origins.includes('*')
  return (request, response) => {
    const { origin } = request.headers
    if (origin === undefined || isAdminPath(request.url)) return false
    response.setHeader('vary', 'origin')
    if (!isOpen && !origins.includes(origin)) return false
    response.setHeader('access-control-allow-origin', isOpen ? '*' : origin)
    const isPreflight =
      request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    if (isPreflight) allow(response)
    else response.setHeader('access-control-expose-headers', exposedFields)
    return isPreflight
  }
}

export function isAdminPath(url: string | undefined): boolean {
  return url?.startsWith('/admin') === true
}

function allow(response: ServerResponse): void {
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'X-API-KEY, Content-Type',
    'access-control-max-age': `${preflightKeptS}`,
  })
  response.end()
}
