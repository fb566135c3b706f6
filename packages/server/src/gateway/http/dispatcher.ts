import { RequestError } from '../errors.ts'
import { Exchange, type ExchangeContext } from './answer/exchange.ts'
import type { HandleRequest } from './connections.ts'
import type { OpenRoute } from './openRoute.ts'
import type { CrossOrigin } from './request/crossOrigin.ts'
import { hostFault } from './request/hostFault.ts'
import { type FoundEndpoint, handlerOf, methodsOf, type Router } from './router.ts'

export type DispatcherOptions = {
  router: Router
  crossOrigin: CrossOrigin
  openRoute: OpenRoute
  bodyBytesMax: number
}

/** Takes every request to whoever answers it. What holds for all of them is here: host, origin, path, method, body. */
export function createDispatcher(
  { router, crossOrigin, openRoute, bodyBytesMax }: DispatcherOptions,
  context: ExchangeContext,
): HandleRequest {
  const tellBrowser = openRoute(() => ({ status: 204, fields: [], bytes: null }), {
    isForStrangers: true,
  })
  const refusePath = openRoute(() => {
    throw new RequestError('not_found', 'No operation has this path.', 'path')
  })

  function handle(exchange: Exchange): void {
    const found = find(exchange)
    const isPreflight = crossOrigin(exchange, found?.endpoint.name ?? '')
    const fault = hostFault(exchange.request)
    if (fault !== null) throw fault
    if (isPreflight) {
      tellBrowser(exchange)
      return
    }
    const handler = found === null ? refusePath : handlerOf(found.endpoint, exchange.method)
    if (found !== null && handler !== undefined) {
      exchange.route = found.endpoint.name
      exchange.id = found.id
    }
    const answer = handler ?? methodRefusal(methodsOf(found!.endpoint))
    // A body of these means nothing (RFC 9110, 9.3.1); Node passes over it.
    if (exchange.method === 'GET' || exchange.method === 'HEAD') answer(exchange)
    else exchange.readBody(bodyBytesMax, () => answer(exchange))
  }

  function find(exchange: Exchange): FoundEndpoint | null {
    try {
      return router.find(exchange.url)
    } catch (error) {
      // A page may read why its path is refused.
      crossOrigin(exchange, '')
      throw error
    }
  }

  function methodRefusal(methods: readonly string[]) {
    return openRoute((exchange) => {
      exchange.field('allow', methods.join(', '))
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
      exchange.refuse([], error)
    }
  }
}
