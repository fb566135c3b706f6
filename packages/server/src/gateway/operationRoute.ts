import type { ResponseEnvelope } from '@chaintape/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isWrapped, wrapped } from './envelope.ts'
import { jsonBody } from './jsonBody.ts'
import type { KeyAccess, KeyHolder } from './keys/keyAccess.ts'
import { quotaHeaders } from './keys/quotaHeaders.ts'
import type { Answer, Operation, Serving } from './operation.ts'
import { queryOf, singleOf } from './queryOf.ts'

export type OperationRouteOptions = {
  serving: Serving
  keys: KeyAccess
  responseEnvelope: ResponseEnvelope
}

/** Puts an operation on its path: who calls, what it costs, what is asked, the answer. */
export function addOperationRoute(
  app: FastifyInstance,
  operation: Operation,
  options: OperationRouteOptions,
): void {
  const { serving, keys } = options
  const isInEnvelope = isWrapped(operation, options.responseEnvelope)
  // Charting libraries send no headers of their own.
  const isKeyInQuery = operation.path.startsWith('/udf/')
  const { id, cost } = operation

  /** Fastify's own promises cost more than the answer: one is made only where something is waited for. */
  function handle(request: FastifyRequest, reply: FastifyReply): unknown {
    const caller = keys.identify(keyTextOf(request, isKeyInQuery))
    return caller instanceof Promise
      ? caller.then((holder) => serve(request, reply, holder))
      : serve(request, reply, caller)
  }

  function serve(request: FastifyRequest, reply: FastifyReply, caller: KeyHolder): unknown {
    let isAdmitted = false
    const fail = (error: unknown): never => {
      // A failed request costs nothing.
      if (isAdmitted) caller.refund(cost, id)
      reply.headers(quotaHeaders(caller, 0))
      throw error
    }
    try {
      caller.admit(cost, id)
      isAdmitted = true
      const answer = operation.run(valuesOf(operation, request, serving), serving, caller)
      if (!(answer instanceof Promise)) return send(reply, caller, answer)
      return answer.then((late) => send(reply, caller, late)).catch(fail)
    } catch (error) {
      return fail(error)
    }
  }

  function send(reply: FastifyReply, caller: KeyHolder, answer: Answer): FastifyReply {
    const { json, enveloped = json, msg } = answer
    return reply
      .headers(quotaHeaders(caller, cost))
      .header('content-type', 'application/json; charset=utf-8')
      .send(isInEnvelope ? wrapped(enveloped, msg) : json)
  }

  const url = operation.path.replace(/\{([^}]+)\}/g, ':id')
  app.route({ method: operation.method, url, handler: handle })
}

function keyTextOf(request: FastifyRequest, isKeyInQuery: boolean): string | undefined {
  const header = request.headers['x-api-key']
  if (header === undefined && isKeyInQuery)
    return singleOf(queryOf(request.raw.url ?? ''), 'api_key')
  return Array.isArray(header) ? header.join() : header
}

function valuesOf(operation: Operation, request: FastifyRequest, serving: Serving) {
  const values: Record<string, unknown> = {}
  const query = queryOf(request.raw.url ?? '')
  for (const [key, input] of Object.entries(operation.inputs)) {
    const text =
      input.in === 'path' ? (request.params as { id: string }).id : singleOf(query, input.name)
    values[key] = input.parse(text, serving)
  }
  if (operation.body !== undefined)
    values.body = operation.body.parse(jsonBody(request.body as Uint8Array | null), serving)
  return values as { body: unknown }
}
