import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Logger } from '../../lib/logger.ts'
import type { Clients } from '../clients/clients.ts'
import type { RequestError } from '../errors.ts'
import type { Turns } from '../turns.ts'
import { type CrossOrigin, isAdminPath } from './crossOrigin.ts'
import { errorAnswer } from './errorBody.ts'
import { Exchange } from './exchange.ts'
import { createOutputBuffers } from './outputBuffers.ts'
import { createRequestLines, type RequestLines, type SendLimits } from './requestLines.ts'
import type { OperationRouter } from './router.ts'

export type NodeServerLimits = SendLimits & { connectionsMax: number; requestMsMax: number }

export type NodeServerOptions = {
  router: OperationRouter
  crossOrigin: CrossOrigin
  turns: Turns
  limits: NodeServerLimits
  clients: Clients
  logger: Logger
}

export type NodeServer = { server: Server; lines: RequestLines }

// Longer than proxies keep theirs: who closes an idle connection is the one who would use it next.
const keepAliveMs = 72_000

// How often in the time a request may take it is looked at: a late one stays a quarter longer at most.
const lateChecks = 4

/**
 * Node's server with its connections' requests in line. Requests for operations go to them, all others to the framework, and
 * whoever answers has its turn.
 */
export function createNodeServer(
  { router, crossOrigin, turns, limits, clients, logger }: NodeServerOptions,
  handler: RequestListener,
): NodeServer {
  const { requestMsMax, connectionsMax } = limits
  const outputs = createOutputBuffers()
  const lines = createRequestLines((request, response) => {
    const found = router.find(request.method ?? '', request.url ?? '')
    if (found !== null) {
      // An operation takes its turn when its body is here.
      if (!crossOrigin(request, response))
        found.handle(new Exchange(request, response, outputs), found.id)
      return
    }
    try {
      turns.takeLast(() => {
        if (!crossOrigin(request, response)) serveStranger(request, response)
      })
    } catch (error) {
      refuse(request, response, error)
    }
  }, limits)

  /** What is no operation needs no API key. Who has the admin key is known later. */
  function serveStranger(request: IncomingMessage, response: ServerResponse): void {
    const { strangers } = clients
    const serve = (fault: RequestError | null) => {
      if (fault === null) handler(request, response)
      else strangers.later(() => refuse(request, response, fault))
    }
    const admitted = isAdminPath(request.url) ? null : strangers.admit(request)
    if (admitted instanceof Promise) void admitted.then(serve)
    else serve(admitted)
  }

  function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { status, retryAfterS, text } = errorAnswer(error, request, logger)
    const fields = retryAfterS === undefined ? [] : ['retry-after', `${retryAfterS}`]
    new Exchange(request, response, outputs).answer(status, fields, text, true)
  }

  const server = createServer(
    {
      // Of these two Node takes the larger one for the body, and its own for headers is a minute.
      ...{ requestTimeout: requestMsMax, headersTimeout: requestMsMax },
      // Node looks for requests that are late every 30 seconds only, unless told.
      connectionsCheckingInterval: Math.ceil(requestMsMax / lateChecks),
      keepAliveTimeout: keepAliveMs,
      // Its own refusal has no body; ours has.
      requireHostHeader: false,
    },
    lines.enter,
  )
  server.maxConnections = connectionsMax
  // Of expectations only 100-continue means anything; others may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connection', clients.admit)
  lines.attach(server)
  return { server, lines }
}
