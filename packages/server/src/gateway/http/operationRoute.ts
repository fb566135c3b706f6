import type { ResponseEnvelope } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { isRateLimited, type Strangers } from '../clients/strangers.ts'
import { isWrapped, wrapped } from '../envelope.ts'
import type { KeyAccess, KeyHolder } from '../keys/keyAccess.ts'
import { quotaHeaders } from '../keys/quotaHeaders.ts'
import { type Answer, type Operation, type Serving, takesKeyInQuery } from '../operation.ts'
import type { Exchange } from './exchange.ts'
import { hostMissing } from './hostHeader.ts'
import { jsonBody } from './jsonBody.ts'
import { type Call, createJsonReply } from './jsonReply.ts'
import { queryOf, singleOf } from './queryOf.ts'
import type { RequestHandler } from './router.ts'

export type OperationRouteOptions = {
  serving: Serving
  keys: KeyAccess
  strangers: Strangers
  responseEnvelope: ResponseEnvelope
  bodyBytesMax: number
  metrics: Metrics
  logger: Logger
  /** Connections are closed after the requests that come now. */
  isClosing(): boolean
}

/** Answers requests of an operation: who calls, what it costs, what is asked, the answer. */
export function createOperationRoute(
  operation: Operation,
  options: OperationRouteOptions,
): RequestHandler {
  const { serving, keys, strangers, bodyBytesMax, isClosing } = options
  const isInEnvelope = isWrapped(operation, options.responseEnvelope)
  // Charting libraries send no headers of their own.
  const isKeyInQuery = takesKeyInQuery(operation)
  const { id: operationId, cost } = operation
  const reply = createJsonReply({ ...options, route: routeUrlOf(operation) })
  const valuesOf = createReader(operation, serving)

  function handle(exchange: Exchange, id: string): void {
    const startMs = performance.now()
    const call: Call = { exchange, id, body: null, startMs, isLast: isClosing() }
    try {
      if (exchange.isHostMissing) throw hostMissing()
      if (operation.method === 'POST') readBody(call)
      else takeTurn(call)
    } catch (error) {
      reply.refuse(call, [], error)
    }
  }

  /** A key that works goes first: a flood of guesses delays nobody who has one. */
  function takeTurn(call: Call): void {
    const isKnown = keys.knows(keyTextOf(call.exchange, isKeyInQuery))
    serving.turns[isKnown ? 'take' : 'takeLast'](() => identify(call))
  }

  function readBody(call: Call): void {
    call.exchange.readBody(bodyBytesMax, (fault, bytes) => {
      call.body = bytes
      // The rest of a body that is too long is not waited for.
      call.isLast ||= fault !== null
      try {
        if (fault !== null) throw fault
        takeTurn(call)
      } catch (error) {
        reply.refuse(call, [], error)
      }
    })
  }

  function identify(call: Call): void {
    try {
      const caller = keys.identify(keyTextOf(call.exchange, isKeyInQuery))
      if (caller instanceof Promise)
        caller.then(
          (holder) => serve(call, holder),
          (error) => refuseKey(call, error),
        )
      else serve(call, caller)
    } catch (error) {
      refuseKey(call, error)
    }
  }

  function refuseKey(call: Call, error: unknown): void {
    const told = strangers.refusal(call.exchange.request, error)
    call.isLast ||= isRateLimited(told)
    const tell = isRateLimited(told) ? strangers.later : (refuse: () => void) => refuse()
    tell(() => reply.refuse(call, [], told))
  }

  function serve(call: Call, caller: KeyHolder): void {
    let isAdmitted = false
    try {
      caller.admit(cost, operationId)
      isAdmitted = true
      const answer = operation.run(valuesOf(call), serving, caller)
      if (answer instanceof Promise)
        answer.then((late) => give(call, caller, late)).catch((error) => fail(call, caller, error))
      else give(call, caller, answer)
    } catch (error) {
      if (isAdmitted) fail(call, caller, error)
      else reply.refuse(call, quotaHeaders(caller, 0), error)
    }
  }

  /** A failed request costs nothing. */
  function fail(call: Call, caller: KeyHolder, error: unknown): void {
    caller.refund(cost, operationId)
    reply.refuse(call, quotaHeaders(caller, 0), error)
  }

  function give(call: Call, caller: KeyHolder, { json, enveloped = json, msg }: Answer): void {
    reply.give(call, quotaHeaders(caller, cost), isInEnvelope ? wrapped(enveloped, msg) : json)
  }

  return handle
}

/** The path as metrics name it. */
export function routeUrlOf({ path }: Operation): string {
  return path.replace(/\{[^}]+\}/g, ':id')
}

function keyTextOf({ apiKey, url }: Exchange, isKeyInQuery: boolean): string | undefined {
  return apiKey === undefined && isKeyInQuery ? singleOf(queryOf(url), 'api_key') : apiKey
}

/** Reads what an operation is asked. */
function createReader(operation: Operation, serving: Serving) {
  const inputs = Object.entries(operation.inputs)
  const { body } = operation
  const parseBytes = body?.createBytesParser?.()
  return (call: Call) => {
    const values: Record<string, unknown> = {}
    const query = queryOf(call.exchange.url)
    for (const [key, input] of inputs) {
      const text = input.in === 'path' ? call.id : singleOf(query, input.name)
      values[key] = input.parse(text, serving)
    }
    if (body !== undefined) {
      const bytes = call.body
      // What is left of a request may outlive it until the whole heap is collected; its body shall not.
      call.body = null
      values.body = (bytes && parseBytes?.(bytes)) ?? body.parse(jsonBody(bytes), serving)
    }
    return values as { body: unknown }
  }
}
