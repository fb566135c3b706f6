import type { ResponseEnvelope } from '@chaintape/protocol'
import type { AnonymousClients } from '../clients/anonymousClients.ts'
import { encodedText, etagOf } from '../ground/encodedJson.ts'
import { RequestError } from '../ground/errors.ts'
import { jsonContentType, parseJsonBody } from '../ground/jsonBody.ts'
import { warningHeader } from '../inputs/corrections.ts'
import type { SelectFields } from '../inputs/fields.ts'
import { quotaHeaders } from '../keys/activeKey.ts'
import type { Caller, KeyAccess } from '../keys/keyAccess.ts'
import { hasEnvelope, isCompatibilityMode, wrapInEnvelope } from '../rest/envelope.ts'
import {
  isChartOperation,
  type Operation,
  type OperationAnswer,
  type OperationContext,
} from '../rest/operation.ts'
import { selectedMediaType } from '../rest/selectedSchemas.ts'
import type { Exchange } from './answer/exchange.ts'
import type { McpTickets } from './mcpRoute.ts'
import { parseQuery, singleParam } from './request.ts'
import { requireApiKey } from './requireApiKey.ts'
import type { RequestHandler } from './router.ts'

export type OperationRouteOptions = {
  serving: OperationContext
  keys: KeyAccess
  anonymousClients: AnonymousClients
  mcpTickets: McpTickets
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
  const { serving, keys, anonymousClients, mcpTickets, responseEnvelope } = options
  const { scheduler } = serving
  const isInEnvelope = hasEnvelope(operation, responseEnvelope)
  const readKey = options.isKeyInPath
    ? readKeyInPath
    : isChartOperation(operation)
      ? readKeyHeaderOrQuery
      : readKeyHeader
  const { id: operationId, cost, hasEtag = false, isPrivate = false } = operation
  const valuesOf = createInputParser(operation, serving, isCompatibilityMode(responseEnvelope))

  function serve(exchange: Exchange, caller: Caller): void {
    exchange.isAnonymous = false
    try {
      const isPaid = mcpTickets.redeem(exchange, operationId)
      const admission = isPaid ? null : caller.admit(cost, operationId)
      if (admission === null) answer(exchange, caller)
      else
        admission
          .then(() => answer(exchange, caller))
          .catch((error) => exchange.sendError(quotaHeaders(caller, 0), error))
    } catch (error) {
      exchange.sendError(quotaHeaders(caller, 0), error)
    }
  }

  function answer(exchange: Exchange, caller: Caller): void {
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
  function fail(exchange: Exchange, caller: Caller, error: unknown): void {
    caller.refund(cost, operationId)
    exchange.sendError(quotaHeaders(caller, 0), error)
  }

  function give(
    exchange: Exchange,
    caller: Caller,
    answer: OperationAnswer,
    select?: SelectFields | null,
  ): void {
    const whole = isInEnvelope ? (answer.enveloped?.() ?? answer.json) : answer.json
    const shown = select ? select(encodedText(whole)) : whole
    const body = isInEnvelope ? wrapInEnvelope(shown, answer.msg) : shown
    for (const warning of answer.warnings ?? [])
      exchange.setHeader('warning', warningHeader(warning))
    if (isPrivate) exchange.setHeader('cache-control', 'private')
    const tag = hasEtag ? etagOf(whole) : null
    exchange.sendJson(
      200,
      quotaHeaders(caller, cost),
      body,
      tag,
      select ? selectedMediaType : jsonContentType,
    )
  }

  const checkKeyText = (text: string | undefined) => {
    if (options.isKeyInPath && options.isAdminKey?.(text ?? '')) throw adminKeyInPathError
  }
  const gate = requireApiKey({ keys, anonymousClients, scheduler, readKey, checkKeyText }, serve)
  if (!options.isKeyInPath) return gate
  return (exchange) => {
    // A page opened from here must not learn the address, which may contain the key.
    exchange.setHeader('referrer-policy', 'no-referrer')
    gate(exchange)
  }
}

type ReadKey = (exchange: Exchange) => string | undefined

const readKeyHeader: ReadKey = ({ apiKey }) => apiKey
/** Charting libraries cannot send custom headers, so their API key may be in the query. */
const readKeyHeaderOrQuery: ReadKey = ({ apiKey, url }) =>
  apiKey ?? singleParam(parseQuery(url), 'api_key')
const readKeyInPath: ReadKey = ({ id }) => id

const adminKeyInPathError = new RequestError(
  'invalid_key',
  'The admin key is never taken from a path.',
)

/**
 * Creates the parser of an operation's inputs. In compatibility mode it corrects inputs where
 * possible, and adds a warning.
 */
function createInputParser(operation: Operation, serving: OperationContext, isLenient: boolean) {
  const inputs = Object.entries(operation.inputs)
  const { body } = operation
  const parseBytes = body?.createBytesParser?.()
  return (exchange: Exchange) => {
    const values: Record<string, unknown> = {}
    const query = parseQuery(exchange.url)
    for (const [key, input] of inputs) {
      let text = input.in === 'path' ? exchange.id : singleParam(query, input.name)
      if (input.alias !== undefined) text ??= singleParam(query, input.alias)
      const correction = isLenient && text !== undefined ? input.correct?.(text) : null
      if (correction) {
        text = correction.text
        exchange.setHeader('warning', warningHeader(correction.warning))
      }
      values[key] = input.parse(text, serving)
    }
    if (body !== undefined) {
      const bytes = exchange.body
      // A request object may live until the next full garbage collection; its body must not.
      exchange.body = null
      values.body = (bytes && parseBytes?.(bytes)) ?? body.parse(parseJsonBody(bytes), serving)
    }
    return values as { body: unknown; fields?: SelectFields | null }
  }
}
