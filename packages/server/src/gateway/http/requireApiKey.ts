import { type AnonymousClients, isRateLimited } from '../clients/anonymousClients.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { Caller, KeyAccess } from '../keys/keyAccess.ts'
import type { Exchange } from './answer/exchange.ts'
import type { RequestHandler } from './router.ts'

export type RequireApiKeyOptions = {
  keys: KeyAccess
  anonymousClients: AnonymousClients
  scheduler: Scheduler
  readKey(exchange: Exchange): string | undefined
  /** Throws for texts that are never keys on this route. */
  checkKeyText?(text: string | undefined): void
}

/** Creates a handler that serves requests with a working API key and refuses all others. */
export function requireApiKey(
  { keys, anonymousClients, scheduler, readKey, checkKeyText }: RequireApiKeyOptions,
  serve: (exchange: Exchange, caller: Caller) => void,
): RequestHandler {
  function identify(exchange: Exchange): void {
    try {
      const text = readKey(exchange)
      checkKeyText?.(text)
      const caller = keys.identify(text)
      // Many requests can wait for the same lookup in the store, so each gets its own scheduler
      // slot.
      if (caller instanceof Promise)
        caller.then(
          (holder) => runInSlot(scheduler, exchange, true, () => serve(exchange, holder)),
          (error) => runInSlot(scheduler, exchange, false, () => refuseKey(exchange, error)),
        )
      else serve(exchange, caller)
    } catch (error) {
      refuseKey(exchange, error)
    }
  }

  function refuseKey(exchange: Exchange, error: unknown): void {
    const fault = anonymousClients.keyErrorOf(exchange.request, error)
    if (!isRateLimited(fault)) {
      exchange.sendError([], fault)
      return
    }
    exchange.closesConnection = true
    anonymousClients.refuseLater(() =>
      runInSlot(scheduler, exchange, false, () => exchange.sendError([], fault)),
    )
  }

  /** Requests with a known key run first, so a flood of guessed keys delays no working key. */
  return (exchange) => {
    const isKnown = keys.knows(readKey(exchange))
    runInSlot(scheduler, exchange, isKnown, () => identify(exchange))
  }
}

function runInSlot(
  scheduler: Scheduler,
  exchange: Exchange,
  isKnown: boolean,
  work: () => void,
): void {
  try {
    scheduler[isKnown ? 'run' : 'runAnonymous'](work)
  } catch (error) {
    exchange.sendError([], error)
  }
}
