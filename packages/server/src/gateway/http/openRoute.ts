import type { Strangers } from '../clients/strangers.ts'
import type { RequestError } from '../errors.ts'
import type { Turns } from '../turns/turns.ts'
import type { Content, Exchange } from './answer/exchange.ts'
import type { RequestHandler } from './router.ts'

export type OpenAnswer = (exchange: Exchange) => Content | Promise<Content>

export type OpenRouteOptions = {
  /**
   * Exempts anonymous clients from the limits of their address, because the route costs nothing or
   * has its own limits.
   */
  isForStrangers?: boolean
}

/** Creates a handler for requests that need no API key. */
export type OpenRoute = (answer: OpenAnswer, options?: OpenRouteOptions) => RequestHandler

/**
 * Creates routes whose clients need no API key. Their work waits for all work of known keys, at
 * every step: even an answer that many clients await together is sent to each in its own scheduler
 * slot.
 */
export function createOpenRoute(turns: Turns, strangers: Strangers): OpenRoute {
  function inTurn(exchange: Exchange, work: () => void): void {
    const tried = () => {
      try {
        work()
      } catch (error) {
        exchange.refuse([], error)
      }
    }
    try {
      turns.takeLast(tried)
    } catch (error) {
      exchange.isLast = true
      exchange.refuse([], error)
    }
  }

  return (answer, { isForStrangers = false } = {}) => {
    /** Longest answer of the route so far, used as the expected size of the next answer. */
    let answerBytes = 0

    function send(exchange: Exchange, content: Content): void {
      answerBytes = Math.max(answerBytes, content.bytes?.length ?? 0)
      exchange.content(content)
    }

    function serve(exchange: Exchange): void {
      const content = answer(exchange)
      if (content instanceof Promise)
        content.then(
          (late) => inTurn(exchange, () => send(exchange, late)),
          (error) => inTurn(exchange, () => exchange.refuse([], error)),
        )
      else send(exchange, content)
    }

    function admit(exchange: Exchange, fault: RequestError | null): void {
      if (fault === null) serve(exchange)
      else {
        exchange.isLast = true
        strangers.later(() => inTurn(exchange, () => exchange.refuse([], fault)))
      }
    }

    return (exchange) =>
      inTurn(exchange, () => {
        const fault = isForStrangers ? null : strangers.admit(exchange.request, answerBytes)
        if (fault instanceof Promise)
          void fault.then((late) => inTurn(exchange, () => admit(exchange, late)))
        else admit(exchange, fault)
      })
  }
}
