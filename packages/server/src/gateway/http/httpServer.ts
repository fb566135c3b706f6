import { strict as assert } from 'node:assert'
import type { Socket } from 'node:net'
import type { ResponseEnvelope } from '@chaintape/protocol'
import { type FastifyInstance, fastify } from 'fastify'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { AdminRoutesOptions } from '../admin/addAdminRoutes.ts'
import type { Clients } from '../clients/clients.ts'
import { RequestError } from '../errors.ts'
import type { Clock, GatewayChains } from '../gatewayChain.ts'
import type { OpenKeyAccess } from '../keys/createKeyAccess.ts'
import { operations } from '../operations.ts'
import type { StoreReads } from '../storeReads.ts'
import { createTurns, type Turns } from '../turns.ts'
import { createAllowedMethods } from './allowedMethods.ts'
import { createCrossOrigin } from './crossOrigin.ts'
import { sendError } from './errorBody.ts'
import { hostMissing, isHostMissing } from './hostHeader.ts'
import { createNodeServer, type NodeServer, type NodeServerLimits } from './nodeServer.ts'
import { routeUrlOf } from './operationRoute.ts'
import { refuseBytes } from './refuseBytes.ts'
import type { RequestLines } from './requestLines.ts'
import { createOperationRouter, pathOf } from './router.ts'
import { addRoutes } from './routes.ts'

export type GatewayLimits = NodeServerLimits & {
  bodyBytesMax: number
  headAgeSMax: number
  /** Memory for tokens and pairs of all chains as ready JSON. */
  encodedRowsBytesMax: number
}

export type HttpServerOptions = {
  version: string
  /** May be filled after the server listens: health says what is missing. */
  chains: GatewayChains
  keys: Pick<OpenKeyAccess, 'knows' | 'identify' | 'usageOf'>
  admin?: AdminRoutesOptions
  clients: Clients
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
  /** Of the whole service. @default its own */
  turns?: Turns
  /** What is answered here. @default all of it */
  parts?: readonly ServedPart[]
}

/** The market with all that describes it, figures for Prometheus, and what makes keys: each may have a port of its own. */
export type ServedPart = 'market' | 'metrics' | 'admin'

export const servedParts: readonly ServedPart[] = ['market', 'metrics', 'admin']

/** `lines` are the requests of its connections. */
export type HttpServer = FastifyInstance & { lines: RequestLines }

// An id that is too long shall be refused as malformed, not be taken for an unknown path; Node's own
// limit on the request line (16 KiB) comes first.
const paramCharsMax = 65_536

/** The HTTP server with every route, not yet listening. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger, limits, metrics, clients, turns = createTurns(), parts = servedParts } = options
  const router = createOperationRouter()
  const crossOrigin = createCrossOrigin(options.corsOrigins)
  let made: NodeServer | undefined
  const app = fastify({
    bodyLimit: limits.bodyBytesMax,
    serverFactory(handler) {
      made = createNodeServer({ router, crossOrigin, turns, limits, clients, logger }, handler)
      return made.server
    },
    // A request that comes while the service stops is answered like any other, on a connection that then closes.
    return503OnClosing: false,
    // Operations read their query themselves, strictly.
    routerOptions: { maxParamLength: paramCharsMax, querystringParser: () => ({}) },
    clientErrorHandler(error, socket) {
      made?.lines.stop(socket)
      refuseBytes(error, socket as Socket)
    },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, logger),
  })
  readBodiesAsBytes(app)

  app.addHook('onRequest', ({ raw }, _reply, done) => {
    done(isHostMissing(raw) ? hostMissing() : undefined)
  })

  const allowedMethods = createAllowedMethods()
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) allowedMethods.add(url, name)
  })
  for (const operation of parts.includes('market') ? operations : [])
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
  addRoutes(app, router, { ...options, turns, parts })
  assert(made !== undefined, 'the framework has made its server')
  const { lines } = made
  app.addHook('preClose', async () => lines.close())
  return Object.assign(app, { lines })
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
