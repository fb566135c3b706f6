import type { LiveBody } from '@chaintape/protocol'
import type { FastifyInstance } from 'fastify'
import { addStaticRoutes } from './addStaticRoutes.ts'
import { addAdminRoutes } from './admin/addAdminRoutes.ts'
import { addAsyncApiRoute } from './asyncapi/addAsyncApiRoute.ts'
import type { HttpServerOptions } from './httpServer.ts'
import { addOpenApiRoute } from './openapi/addOpenApiRoute.ts'
import { createOperationRoute } from './operationRoute.ts'
import type { OperationRouter } from './operationRouter.ts'
import { operations } from './operations.ts'
import { queryOf, singleOf } from './queryOf.ts'
import { readyBody } from './rest/health.ts'
import { metricsText } from './rest/metrics.ts'
import { createMarketRows } from './rows/marketRows.ts'
import { createTrendingKeeper } from './trendingKeeper.ts'
import { createTurns } from './turns.ts'
import { createTokenPositions } from './wallets/tokenPositions.ts'

/** Every path of the service. */
export function addRoutes(
  app: FastifyInstance,
  router: OperationRouter,
  options: HttpServerOptions,
): void {
  const { chains, clock, store, keys, limits, metrics, logger, responseEnvelope } = options
  const startedMs = clock.nowMs()

  app.get('/health/live', async (): Promise<LiveBody> => {
    const uptimeS = Math.floor((clock.nowMs() - startedMs) / 1_000)
    return { live: true, version: options.version, uptime_s: uptimeS }
  })
  app.get('/health/ready', async (request, reply) => {
    const only = singleOf(queryOf(request.url), 'chain')
    const body = readyBody(chains, { clock, headAgeSMax: limits.headAgeSMax, only })
    return reply.code(body.ready ? 200 : 503).send(body)
  })
  app.get('/metrics', async (_request, reply) => {
    const text = await metricsText(metrics, chains)
    return reply.type(metrics.registry.contentType).send(text)
  })
  const rows = createMarketRows({ clock, bytesMax: limits.encodedRowsBytesMax })
  const turns = createTurns()
  const keeper = createTrendingKeeper({ chains, clock, turns })
  app.addHook('onListen', async () => keeper.start())
  app.addHook('onClose', async () => keeper.stop())
  const positions = createTokenPositions(store)
  const serving = { chains, clock, store, positions, rows, turns, usageOf: keys.usageOf }
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  const ofRoutes = {
    ...{ serving, keys, responseEnvelope, metrics, logger, isClosing: () => isClosing },
    bodyBytesMax: limits.bodyBytesMax,
  }
  for (const operation of operations)
    router.add(operation.method, operation.path, createOperationRoute(operation, ofRoutes))
  if (options.admin !== undefined) addAdminRoutes(app, options.admin)
  addStaticRoutes(app)
  addAsyncApiRoute(app, options)
  addOpenApiRoute(app, { operations, serving, responseEnvelope, baseUrls: options.baseUrls })
}
