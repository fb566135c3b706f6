import type { ServerResponse } from 'node:http'
import type { ResponseEnvelope } from '@chaintape/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isWrapped, wrapped } from './envelope.ts'
import { jsonBody } from './jsonBody.ts'
import type { KeyAccess, KeyHolder } from './keys/keyAccess.ts'
import { type QuotaHeaders, quotaHeaders } from './keys/quotaHeaders.ts'
import type { Answer, Operation, Serving } from './operation.ts'
import { queryOf, singleOf } from './queryOf.ts'

export type OperationRouteOptions = {
  serving: Serving
  keys: KeyAccess
  responseEnvelope: ResponseEnvelope
}

/**
 * Puts an operation on its path: who calls, what it costs, what is asked, the answer. The framework's promises, reply
 * headers and listeners cost more than most answers, so handlers return nothing and answers go straight to the socket.
 */
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
  const valuesOf = createReader(operation, serving)

  function handle(request: FastifyRequest, reply: FastifyReply): void {
    serving.turns.take(() => identify(request, reply))
  }

  function identify(request: FastifyRequest, reply: FastifyReply): void {
    try {
      const caller = keys.identify(keyTextOf(request, isKeyInQuery))
      if (caller instanceof Promise)
        caller.then(
          (holder) => serve(request, reply, holder),
          (error) => void reply.send(error),
        )
      else serve(request, reply, caller)
    } catch (error) {
      reply.send(error)
    }
  }

  function serve(request: FastifyRequest, reply: FastifyReply, caller: KeyHolder): void {
    let isAdmitted = false
    try {
      caller.admit(cost, id)
      isAdmitted = true
      const answer = operation.run(valuesOf(request), serving, caller)
      if (answer instanceof Promise)
        answer
          .then((late) => send(reply, caller, late))
          .catch((error) => fail(reply, caller, error))
      else send(reply, caller, answer)
    } catch (error) {
      if (isAdmitted) fail(reply, caller, error)
      else reply.headers(quotaHeaders(caller, 0)).send(error)
    }
  }

  /** A failed request costs nothing. */
  function fail(reply: FastifyReply, caller: KeyHolder, error: unknown): void {
    caller.refund(cost, id)
    reply.headers(quotaHeaders(caller, 0)).send(error)
  }

  function send(reply: FastifyReply, caller: KeyHolder, answer: Answer): void {
    const { json, enveloped = json, msg } = answer
    const text = isInEnvelope ? wrapped(enveloped, msg) : json
    const sizeBytes = (isInEnvelope ? undefined : answer.sizeBytes) ?? Buffer.byteLength(text)
    const headers = quotaHeaders(caller, cost)
    reply.hijack()
    sendJson(reply.raw, text, sizeBytes, headers)
  }

  const url = operation.path.replace(/\{([^}]+)\}/g, ':id')
  app.route({ method: operation.method, url, handler: handle })
}

function sendJson(
  response: ServerResponse,
  text: string,
  sizeBytes: number,
  headers: QuotaHeaders,
): void {
  response.writeHead(200, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    `${sizeBytes}`,
    'x-cu-cost',
    headers['x-cu-cost'],
    'x-cu-remaining',
    headers['x-cu-remaining'],
    'ratelimit-policy',
    headers['ratelimit-policy'],
    'ratelimit',
    headers.ratelimit,
  ])
  // As many bytes as characters: all of them are ASCII, where both encodings are the same and this one is quicker.
  response.end(text, sizeBytes === text.length ? 'latin1' : 'utf8')
}

function keyTextOf(request: FastifyRequest, isKeyInQuery: boolean): string | undefined {
  const header = request.headers['x-api-key']
  if (header === undefined && isKeyInQuery)
    return singleOf(queryOf(request.raw.url ?? ''), 'api_key')
  return Array.isArray(header) ? header.join() : header
}

/** Reads what an operation is asked. */
function createReader(operation: Operation, serving: Serving) {
  const inputs = Object.entries(operation.inputs)
  const { body } = operation
  return (request: FastifyRequest) => {
    const values: Record<string, unknown> = {}
    const query = queryOf(request.raw.url ?? '')
    for (const [key, input] of inputs) {
      const text =
        input.in === 'path' ? (request.params as { id: string }).id : singleOf(query, input.name)
      values[key] = input.parse(text, serving)
    }
    if (body !== undefined)
      values.body = body.parse(jsonBody(request.body as Uint8Array | null), serving)
    return values as { body: unknown }
  }
}
