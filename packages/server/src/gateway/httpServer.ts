import type { ResponseEnvelope } from '@chaintape/protocol'
import { type FastifyInstance, fastify } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import type { Metrics } from '../lib/metrics.ts'
import { createAllowedMethods } from './allowedMethods.ts'
import { rawErrorResponse, sendError } from './errorBody.ts'
import { RequestError } from './errors.ts'
import type { Clock, GatewayChains } from './gatewayChain.ts'
import type { KeyReader } from './keys/keyCache.ts'
import { addRoutes } from './routes.ts'

export type GatewayLimits = {
  bodyBytesMax: number
  connectionsMax: number
  requestMsMax: number
  keyCacheCountMax: number
  keyCacheMs: number
  keyLookupMsMax: number
  headAgeSMax: number
}

export type HttpServerOptions = {
  version: string
  /** May be filled after the server listens: health says what is missing. */
  chains: GatewayChains
  keys: KeyReader
  metrics: Metrics
  logger: Logger
  limits: GatewayLimits
  responseEnvelope: ResponseEnvelope
  clock: Clock
}

// An id that is too long shall be refused as malformed, not be taken for an unknown path; Node's own
// limit on the request line (16 KiB) comes first.
const paramCharsMax = 65_536

/** The HTTP server with every route, not yet listening. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, limits, metrics } = options
  const app = fastify({
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMsMax,
    routerOptions: { maxParamLength: paramCharsMax },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, logger),
    clientErrorHandler: (error, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
      else socket.end(rawErrorResponse(error.code))
    },
  })
  app.server.maxConnections = limits.connectionsMax
  readBodiesAsText(app)

  const allowedMethods = createAllowedMethods()
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) allowedMethods.add(url, name)
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unmatched'
    const { method } = request
    metrics.httpRequestsTotal.inc({ method, route, status: reply.statusCode })
    metrics.httpRequestMs.observe({ route }, reply.elapsedTime)
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, logger))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]!
    const methods = allowedMethods.of(path)
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

/** Bodies are JSON whatever their Content-Type says; each route parses the text itself. */
function readBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
}
