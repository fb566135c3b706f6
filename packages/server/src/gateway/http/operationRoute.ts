import type { ResponseEnvelope } from '@chaintape/protocol'
import type { Strangers } from '../clients/strangers.ts'
import { RequestError } from '../errors.ts'
import type { KeyAccess, KeyHolder } from '../keys/keyAccess.ts'
import { quotaHeaders } from '../keys/usage/quotaHeaders.ts'
import { warningField } from '../operation/corrections.ts'
import { tagOf, textOf } from '../operation/encoded.ts'
import { isCompatible, isWrapped, wrapped } from '../operation/envelope.ts'
import type { SelectFields } from '../operation/fields.ts'
import { type Answer, isOfCharts, type Operation, type Serving } from '../operation/operation.ts'
import { selectedType } from '../operation/selectedSchemas.ts'
import type { Exchange } from './answer/exchange.ts'
import { jsonBody, jsonType } from './answer/jsonBody.ts'
import { createKeyGate } from './keyGate.ts'
import type { PaidCalls } from './paidCalls.ts'
import { queryOf, singleOf } from './request.ts'
import type { RequestHandler } from './router.ts'

export type OperationRouteOptions = {
  serving: Serving
  keys: KeyAccess
  strangers: Strangers
  paidCalls: PaidCalls
  responseEnvelope: ResponseEnvelope
  /** True if the id in the path is the API key. @default false */
  isKeyInPath?: boolean
  /** Tests a text for being the admin key. Undefined if no admin key is configured. */
  isAdminKey?: ((text: string) => boolean) | undefined
}

/**
 * Creates the handler of an operation: identifies the caller, charges the cost, parses the inputs
 * and answers.
 */
export function createOperationRoute(
  operation: Operation,
  options: OperationRouteOptions,
): RequestHandler {
  const { serving, keys, strangers, paidCalls, responseEnvelope } = options
  const { turns } = serving
  const isInEnvelope = isWrapped(operation, responseEnvelope)
  const keyTextOf = options.isKeyInPath ? keyInPath : isOfCharts(operation) ? keyInQuery : keyInHead
  const { id: operationId, cost, isTagged = false, isPrivate = false } = operation
  const valuesOf = createReader(operation, serving, isCompatible(responseEnvelope))

  function serve(exchange: Exchange, caller: KeyHolder): void {
    exchange.isStranger = false
    try {
      const isPaid = paidCalls.redeem(exchange, operationId)
      const admission = isPaid ? null : caller.admit(cost, operationId)
      if (admission === null) answer(exchange, caller)
      else
        admission.confirmed
          .then(() => answer(exchange, caller))
          .catch((error) => exchange.refuse(quotaHeaders(caller, 0), error))
    } catch (error) {
      exchange.refuse(quotaHeaders(caller, 0), error)
    }
  }

  function answer(exchange: Exchange, caller: KeyHolder): void {
    try {
      const values = valuesOf(exchange)
      const answered = operation.run(values, serving, caller)
      if (answered instanceof Promise)
        answered
          .then((late) => give(exchange, caller, late, values.fields))
          .catch((error) => fail(exchange, caller, error))
      else give(exchange, caller, answered, values.fields)
    } catch (error) {
      fail(exchange, caller, error)
    }
  }

  /** Answers a failed request and refunds its cost. */
  function fail(exchange: Exchange, caller: KeyHolder, error: unknown): void {
    caller.refund(cost, operationId)
    exchange.refuse(quotaHeaders(caller, 0), error)
  }

  function give(
    exchange: Exchange,
    caller: KeyHolder,
    answer: Answer,
    select?: SelectFields | null,
  ): void {
    const whole = isInEnvelope ? (answer.enveloped?.() ?? answer.json) : answer.json
    const shown = select ? select(textOf(whole)) : whole
    const body = isInEnvelope ? wrapped(shown, answer.msg) : shown
    for (const warning of answer.warnings ?? []) exchange.field('warning', warningField(warning))
    if (isPrivate) exchange.field('cache-control', 'private')
    const tag = isTagged ? tagOf(whole) : null
    exchange.json(200, quotaHeaders(caller, cost), body, tag, select ? selectedType : jsonType)
  }

  const check = (text: string | undefined) => {
    if (options.isKeyInPath && options.isAdminKey?.(text ?? '')) throw adminKeyInPath
  }
  const gate = createKeyGate({ keys, strangers, turns, keyTextOf, check }, serve)
  if (!options.isKeyInPath) return gate
  return (exchange) => {
    // A page opened from here must not learn the address, which may contain the key.
    exchange.field('referrer-policy', 'no-referrer')
    gate(exchange)
  }
}

type KeyTextOf = (exchange: Exchange) => string | undefined

const keyInHead: KeyTextOf = ({ apiKey }) => apiKey
/** Charting libraries cannot send custom headers, so their API key may be in the query. */
const keyInQuery: KeyTextOf = ({ apiKey, url }) => apiKey ?? singleOf(queryOf(url), 'api_key')
const keyInPath: KeyTextOf = ({ id }) => id

const adminKeyInPath = new RequestError('invalid_key', 'The admin key is never taken from a path.')

/**
 * Creates the parser of an operation's inputs. In compatibility mode it corrects inputs where
 * possible, and adds a warning.
 */
function createReader(operation: Operation, serving: Serving, isLenient: boolean) {
  const inputs = Object.entries(operation.inputs)
  const { body } = operation
  const parseBytes = body?.createBytesParser?.()
  return (exchange: Exchange) => {
    const values: Record<string, unknown> = {}
    const query = queryOf(exchange.url)
    for (const [key, input] of inputs) {
      let text = input.in === 'path' ? exchange.id : singleOf(query, input.name)
      if (input.alias !== undefined) text ??= singleOf(query, input.alias)
      const correction = isLenient && text !== undefined ? input.correct?.(text) : null
      if (correction) {
        text = correction.text
        exchange.field('warning', warningField(correction.warning))
      }
      values[key] = input.parse(text, serving)
    }
    if (body !== undefined) {
      const bytes = exchange.body
      // A request object may live until the next full garbage collection; its body must not.
      exchange.body = null
      values.body = (bytes && parseBytes?.(bytes)) ?? body.parse(jsonBody(bytes), serving)
    }
    return values as { body: unknown; fields?: SelectFields | null }
  }
}
