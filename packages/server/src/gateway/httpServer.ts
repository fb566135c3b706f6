import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ResponseEnvelope } from '@chaintape/protocol'
import { type FastifyInstance, fastify } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { AdminRoutesOptions } from './admin/addAdminRoutes.ts'
import { createAllowedMethods } from './allowedMethods.ts'
import { type CrossOrigin, createCrossOrigin } from './crossOrigin.ts'
import { sendError } from './errorBody.ts'
import { RequestError } from './errors.ts'
import { Exchange } from './exchange.ts'
import type { Clock, GatewayChains } from './gatewayChain.ts'
import { hostMissing, isHostMissing } from './hostHeader.ts'
import type { OpenKeyAccess } from './keys/createKeyAccess.ts'
import { routeUrlOf } from './operationRoute.ts'
import { createOperationRouter, type OperationRouter, pathOf } from './operationRouter.ts'
import { operations } from './operations.ts'
import { createOutputBuffers, type OutputBuffers } from './outputBuffers.ts'
import { refuseBytes } from './refuseBytes.ts'
import { addRoutes } from './routes.ts'
import type { StoreReads } from './storeReads.ts'

export type GatewayLimits = {
  bodyBytesMax: number
  connectionsMax: number
  requestMsMax: number
  headAgeSMax: number
  /** Memory for tokens and pairs of all chains as ready JSON. */
  encodedRowsBytesMax: number
}

export type HttpServerOptions = {
  version: string
  /** May be filled after the server listens: health says what is missing. */
  chains: GatewayChains
  keys: Pick<OpenKeyAccess, 'identify' | 'usageOf'>
  admin?: AdminRoutesOptions
  store: StoreReads
  metrics: Metrics
  logger: Logger
  limits: GatewayLimits
  responseEnvelope: ResponseEnvelope
  /** Where clients reach the service: the servers of its OpenAPI document. */
  baseUrls: readonly string[]
  /** Origins whose pages may call it from a browser; `*`: all. */
  corsOrigins: readonly string[]
  clock: Clock
}

// An id that is too long shall be refused as malformed, not be taken for an unknown path; Node's own
// limit on the request line (16 KiB) comes first.
const paramCharsMax = 65_536

// Longer than proxies keep theirs: who closes an idle connection is the one who would use it next.
const keepAliveMs = 72_000

// How often in the time a request may take it is looked at: a late one stays a quarter longer at most.
const lateChecks = 4

/** The HTTP server with every route, not yet listening. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, limits, metrics } = options
  const router = createOperationRouter()
  const outputs = createOutputBuffers()
  const crossOrigin = createCrossOrigin(options.corsOrigins)
  const app = fastify({
    bodyLimit: limits.bodyBytesMax,
    serverFactory: (handler) => createNodeServer({ router, outputs, crossOrigin }, handler, limits),
    // A request that comes while the service stops is answered like any other, on a connection that then closes.
    return503OnClosing: false,
    // Operations read their query themselves, strictly.
    routerOptions: { maxParamLength: paramCharsMax, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, logger),
    clientErrorHandler: (error, socket) => refuseBytes(error, socket as Socket),
  })
  readBodiesAsBytes(app)

  app.addHook('onRequest', ({ raw }, _reply, done) => {
    done(isHostMissing(raw) ? hostMissing() : undefined)
  })

  const allowedMethods = createAllowedMethods()
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) allowedMethods.add(url, name)
  })
  for (const operation of operations)
    for (const name of operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method])
      allowedMethods.add(routeUrlOf(operation), name)
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched'
    metrics.requests.answered(route, request.method, reply.raw.statusCode, reply.elapsedTime)
    done()
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, logger))
  app.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods.of(pathOf(request.url))
    if (methods.length === 0)
      throw new RequestError('not_found', 'No operation has this path.', 'path')
    reply.header('allow', methods.join(', '))
    throw new RequestError(
      'method_not_allowed',
      `This path answers to ${methods.join(', ')}.`,
      'method',
    )
  })
  addRoutes(app, router, options)
  return app
}

/** Requests for operations go to them, all others to the framework. */
function createNodeServer(
  {
    router,
    outputs,
    crossOrigin,
  }: { router: OperationRouter; outputs: OutputBuffers; crossOrigin: CrossOrigin },
  handler: RequestListener,
  { requestMsMax, connectionsMax }: GatewayLimits,
): Server {
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
    (request, response) => {
      if (crossOrigin(request, response)) return
      const found = router.find(request.method ?? '', request.url ?? '')
      if (found === null) handler(request, response)
      else found.handle(new Exchange(request, response, outputs), found.id)
    },
  )
  server.maxConnections = connectionsMax
  // Of expectations only 100-continue means anything; others may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** Bodies are JSON whatever their Content-Type says; each operation parses the bytes itself. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    // One that is no media type at all would be refused before a parser is asked.
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json'
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
