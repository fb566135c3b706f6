import type { AnonymousClients } from '../clients/anonymousClients.ts'
import type { RequestError } from '../ground/errors.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { Exchange, RawAnswer } from './answer/exchange.ts'
import type { RequestHandler } from './router.ts'

export type PublicAnswer = (exchange: Exchange) => RawAnswer | Promise<RawAnswer>

export type PublicRouteOptions = {
  /**
   * Exempts anonymous clients from the limits of their address, because the route costs nothing or
   * has its own limits.
   */
  isUnlimited?: boolean
}

/** Creates a handler for requests that need no API key. */
export type PublicRoute = (answer: PublicAnswer, options?: PublicRouteOptions) => RequestHandler

/**
 * Creates routes whose clients need no API key. Their work waits for all work of known keys, at
 * every step: even an answer that many clients await together is sent to each in its own scheduler
 * slot.
 */
export function createPublicRoute(
  scheduler: Scheduler,
  anonymousClients: AnonymousClients,
): PublicRoute {
  function inSlot(exchange: Exchange, work: () => void): void {
    const tried = () => {
      try {
        work()
      } catch (error) {
        exchange.sendError([], error)
      }
    }
    try {
      scheduler.runAnonymous(tried)
    } catch (error) {
      exchange.closesConnection = true
      exchange.sendError([], error)
    }
  }

  return (answer, { isUnlimited = false } = {}) => {
    /** Longest answer of the route so far, used as the expected size of the next answer. */
    let answerBytes = 0

    function send(exchange: Exchange, content: RawAnswer): void {
      answerBytes = Math.max(answerBytes, content.bytes?.length ?? 0)
      exchange.sendRaw(content)
    }

    function serve(exchange: Exchange): void {
      const content = answer(exchange)
      if (content instanceof Promise)
        content.then(
          (late) => inSlot(exchange, () => send(exchange, late)),
          (error) => inSlot(exchange, () => exchange.sendError([], error)),
        )
      else send(exchange, content)
    }

    function admit(exchange: Exchange, fault: RequestError | null): void {
      if (fault === null) serve(exchange)
      else {
        exchange.closesConnection = true
        anonymousClients.refuseLater(() => inSlot(exchange, () => exchange.sendError([], fault)))
      }
    }

    return (exchange) =>
      inSlot(exchange, () => {
        const fault = isUnlimited ? null : anonymousClients.admit(exchange.request, answerBytes)
        if (fault instanceof Promise)
          void fault.then((late) => inSlot(exchange, () => admit(exchange, late)))
        else admit(exchange, fault)
      })
  }
}
