import type { Socket } from 'node:net'
import type { ResponseEnvelope } from '@chaintape/protocol'
import { type FastifyInstance, fastify } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { AdminRoutesOptions } from './admin/addAdminRoutes.ts'
import { createAllowedMethods } from './allowedMethods.ts'
import { sendError } from './errorBody.ts'
import { RequestError } from './errors.ts'
import type { Clock, GatewayChains } from './gatewayChain.ts'
import type { OpenKeyAccess } from './keys/createKeyAccess.ts'
import { refuseBytes } from './refuseBytes.ts'
import { addRoutes } from './routes.ts'
import type { StoreReads } from './storeReads.ts'

export type GatewayLimits = {
  bodyBytesMax: number
  connectionsMax: number
  requestMsMax: number
  headAgeSMax: number
  /** Encoded tokens and pairs kept, of each chain. */
  encodedRowsMax: number
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
  clock: Clock
}

// An id that is too long shall be refused as malformed, not be taken for an unknown path; Node's own
// limit on the request line (16 KiB) comes first.
const paramCharsMax = 65_536

// How often in the time a request may take it is looked at: a late one stays a quarter longer at most.
const lateChecks = 4

/** The HTTP server with every route, not yet listening. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, limits, metrics } = options
  const app = fastify({
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMsMax,
    http: {
      // Of these two Node takes the larger one for the body, and its own for headers is a minute.
      ...{ requestTimeout: limits.requestMsMax, headersTimeout: limits.requestMsMax },
      // Node looks for requests that are late every 30 seconds only, unless told.
      connectionsCheckingInterval: Math.ceil(limits.requestMsMax / lateChecks),
      // Its own refusal has no body; ours is below.
      requireHostHeader: false,
    },
    // A request that comes while the service stops is answered like any other, on a connection that then closes.
    return503OnClosing: false,
    // Operations read their query themselves, strictly.
    routerOptions: { maxParamLength: paramCharsMax, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, logger),
    clientErrorHandler: (error, socket) => refuseBytes(error, socket as Socket),
  })
  app.server.maxConnections = limits.connectionsMax
  // Of expectations only 100-continue means anything; others may be ignored (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )
  readBodiesAsBytes(app)

  app.addHook('onRequest', ({ raw }, _reply, done) => {
    // RFC 9112, 3.2
    if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      done(new RequestError('bad_request', 'The request has no Host header.', 'Host'))
    else done()
  })

  const allowedMethods = createAllowedMethods()
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) allowedMethods.add(url, name)
  })
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
  addRoutes(app, options)
  return app
}

/** The path of a request target, which may be a whole address (RFC 9112, 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0]!
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
