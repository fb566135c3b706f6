import type { LiveBody } from '@chaintape/protocol'
import type { FastifyInstance } from 'fastify'
import { addAdminRoutes } from '../admin/addAdminRoutes.ts'
import { addAsyncApiRoute } from '../asyncapi/addAsyncApiRoute.ts'
import { addOpenApiRoute } from '../openapi/addOpenApiRoute.ts'
import { operations } from '../operations.ts'
import { readyBody } from '../rest/health.ts'
import { metricsText } from '../rest/metrics.ts'
import { createMarketRows } from '../rows/marketRows.ts'
import type { StoreReads } from '../storeReads.ts'
import { createTrendingKeeper } from '../trendingKeeper.ts'
import type { Turns } from '../turns.ts'
import { createTokenPositions } from '../wallets/tokenPositions.ts'
import { createWorkForAll } from '../workForAll.ts'
import type { HttpServerOptions, ServedPart } from './httpServer.ts'
import { createOperationRoute } from './operationRoute.ts'
import { addStaticRoutes } from './pages.ts'
import { queryOf, singleOf } from './queryOf.ts'
import type { OperationRouter } from './router.ts'

type RoutesOptions = HttpServerOptions & { turns: Turns; parts: readonly ServedPart[] }

// What costs something and is the same for all who ask is made so often at most.
const sharedMs = 1_000

/** Every path of the service, or of the parts of it that are served here. */
export function addRoutes(
  app: FastifyInstance,
  router: OperationRouter,
  options: RoutesOptions,
): void {
  if (options.parts.includes('metrics')) addMetricsRoute(app, options)
  if (options.parts.includes('admin') && options.admin !== undefined)
    addAdminRoutes(app, options.admin, options)
  if (options.parts.includes('market')) addMarketRoutes(app, router, options)
}

function addMetricsRoute(app: FastifyInstance, { metrics, chains, turns }: RoutesOptions): void {
  const text = createWorkForAll(() => metricsText(metrics, chains, turns), sharedMs)
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await text()),
  )
}

function addMarketRoutes(
  app: FastifyInstance,
  router: OperationRouter,
  options: RoutesOptions,
): void {
  const { chains, clock, keys, limits, metrics, logger, responseEnvelope, turns } = options
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
  const rows = createMarketRows({ clock, bytesMax: limits.encodedRowsBytesMax })
  const store = shareReads(options.store)
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
    strangers: options.clients.strangers,
    bodyBytesMax: limits.bodyBytesMax,
  }
  for (const operation of operations)
    router.add(operation.method, operation.path, createOperationRoute(operation, ofRoutes))
  addStaticRoutes(app)
  addAsyncApiRoute(app, options)
  addOpenApiRoute(app, { operations, serving, responseEnvelope, baseUrls: options.baseUrls })
}

/** Where history begins is part of answers that cost their caller nothing. */
function shareReads(store: StoreReads): StoreReads {
  const starts = new Map<number, () => Promise<number | null>>()
  return {
    ...store,
    loadHistoryStart(chainId) {
      let load = starts.get(chainId)
      if (load === undefined) {
        load = createWorkForAll(() => store.loadHistoryStart(chainId), sharedMs)
        starts.set(chainId, load)
      }
      return load()
    },
  }
}
