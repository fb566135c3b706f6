import { RequestError } from '../errors.ts'
import { jsonContent } from './answer/exchange.ts'
import type { OpenRoute } from './openRoute.ts'
import type { Router } from './router.ts'
import type { HttpServerOptions } from './serverOptions.ts'

/** Gives the terminal's page a key for the token of the address that the start printed. */
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
      if (browserKeys === undefined)
        throw new RequestError('missing_key', 'Enter an API key.', 'X-API-KEY')
      const token = String(request.headers['x-terminal-token'] ?? '')
      const { text, expiresAtS } = browserKeys.give(token, apiKey)
      return jsonContent({ key: text, expires_at: expiresAtS })
    }),
  )
}
