import { isRateLimited, type Strangers } from '../clients/strangers.ts'
import type { KeyAccess, KeyHolder } from '../keys/keyAccess.ts'
import type { Turns } from '../turns/turns.ts'
import type { Exchange } from './answer/exchange.ts'
import type { RequestHandler } from './router.ts'

export type KeyGateOptions = {
  keys: KeyAccess
  strangers: Strangers
  turns: Turns
  keyTextOf(exchange: Exchange): string | undefined
  /** Throws for texts that are never keys on this route. */
  check?(text: string | undefined): void
}

/** Creates a handler that serves requests with a working API key and refuses all others. */
export function createKeyGate(
  { keys, strangers, turns, keyTextOf, check }: KeyGateOptions,
  serve: (exchange: Exchange, caller: KeyHolder) => void,
): RequestHandler {
  function identify(exchange: Exchange): void {
    try {
      const text = keyTextOf(exchange)
      check?.(text)
      const caller = keys.identify(text)
      // Many requests can wait for the same lookup in the store, so each gets its own scheduler
      // slot.
      if (caller instanceof Promise)
        caller.then(
          (holder) => inTurn(turns, exchange, true, () => serve(exchange, holder)),
          (error) => inTurn(turns, exchange, false, () => refuseKey(exchange, error)),
        )
      else serve(exchange, caller)
    } catch (error) {
      refuseKey(exchange, error)
    }
  }

  function refuseKey(exchange: Exchange, error: unknown): void {
    const fault = strangers.refusal(exchange.request, error)
    if (!isRateLimited(fault)) {
      exchange.refuse([], fault)
      return
    }
    exchange.isLast = true
    strangers.later(() => inTurn(turns, exchange, false, () => exchange.refuse([], fault)))
  }

  /** Requests with a known key run first, so a flood of guessed keys delays no working key. */
  return (exchange) => {
    const isKnown = keys.knows(keyTextOf(exchange))
    inTurn(turns, exchange, isKnown, () => identify(exchange))
  }
}

function inTurn(turns: Turns, exchange: Exchange, isKnown: boolean, work: () => void): void {
  try {
    turns[isKnown ? 'take' : 'takeLast'](work)
  } catch (error) {
    exchange.refuse([], error)
  }
}
