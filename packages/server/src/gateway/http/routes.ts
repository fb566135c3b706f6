import type { LiveBody } from '@chaintape/protocol'
import { isLoopback } from '../../lib/loopback.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import type { StoreReads } from '../chain/storeReads.ts'
import { RequestError } from '../ground/errors.ts'
import { jsonContentType } from '../ground/jsonBody.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import { createSharedWork } from '../ground/sharedWork.ts'
import { createSecretCheck } from '../keys/apiKey.ts'
import { createScreenerBoards, type ScreenerBoards } from '../lists/screenerBoards.ts'
import { isCompatibilityMode } from '../rest/envelope.ts'
import { isChartOperation } from '../rest/operation.ts'
import { operations } from '../rest/operations.ts'
import { readyBody } from '../rest/service/health.ts'
import { metricsText } from '../rest/service/metrics.ts'
import { createTokenPositionCache } from '../rest/wallets/readPositions.ts'
import { createSmartTrades } from '../rest/wallets/smartTrades.ts'
import { createMarketRows } from '../rows/marketRows.ts'
import { addAdminRoutes } from './admin/addAdminRoutes.ts'
import { jsonAnswer } from './answer/exchange.ts'
import {
  createStaticDocument,
  documentAnswer,
  type StaticDocument,
} from './answer/staticDocument.ts'
import { asyncApiDocument } from './asyncapi/asyncApiDocument.ts'
import { createMcpRoute, createMcpTickets } from './mcpRoute.ts'
import { openApiDocument } from './openapi/openApiDocument.ts'
import { createOperationRoute, type OperationRouteOptions } from './operationRoute.ts'
import { addPages, addTerminal } from './pages.ts'
import type { PublicRoute } from './publicRoute.ts'
import { parseQuery, remoteReason, singleParam } from './request.ts'
import type { Router } from './router.ts'
import type { HttpServerOptions, LifecycleHooks, ServedPart } from './serverOptions.ts'

type RoutesOptions = HttpServerOptions & { scheduler: Scheduler; parts: readonly ServedPart[] }

// Interval at which an answer that is costly, and the same for all clients, is rebuilt at most.
const sharedAnswerMs = 1_000

/** Adds the routes of all parts of the service that this server serves. */
export function addRoutes(
  router: Router,
  openRoute: PublicRoute,
  options: RoutesOptions,
): LifecycleHooks[] {
  const { parts, admin } = options
  if (parts.includes('health')) addHealthRoutes(router, openRoute, options)
  if (parts.includes('metrics')) addMetricsRoute(router, openRoute, options)
  if (parts.includes('admin') && admin !== undefined)
    addAdminRoutes(router, openRoute, admin, options)
  return parts.includes('market') ? addMarketRoutes(router, openRoute, options) : []
}

/** Adds /metrics. Without a port of its own, only programs on this machine may read it. */
function addMetricsRoute(
  router: Router,
  openRoute: PublicRoute,
  { metrics, chains, scheduler, parts }: RoutesOptions,
): void {
  const isApart = parts.length === 1
  const fields = ['content-type', metrics.registry.contentType]
  const bytesOf = createSharedWork(
    async () => Buffer.from(await metricsText(metrics, chains, scheduler)),
    sharedAnswerMs,
  )
  router.add(
    'GET',
    '/metrics',
    openRoute(async ({ request }) => {
      const doubt = isApart ? null : remoteReason(request)
      if (doubt !== null) throw metricsRefusal(doubt)
      return { status: 200, fields, bytes: await bytesOf() }
    }),
  )
}

function metricsRefusal(doubt: string): RequestError {
  const rule = 'Only programs on the machine of the service may read /metrics here'
  const remedy = 'Set server.metrics_port and server.metrics_host to serve it to others.'
  return new RequestError('not_found', `${rule}: ${doubt}. ${remedy}`, 'path')
}

function addHealthRoutes(router: Router, openRoute: PublicRoute, options: RoutesOptions): void {
  const { chains, clock, limits, version, dataDirId } = options
  const startedMs = clock.nowMs()
  router.add(
    'GET',
    '/health/live',
    openRoute(() => {
      const uptimeS = Math.floor((clock.nowMs() - startedMs) / 1_000)
      const id = dataDirId === undefined ? {} : { data_dir_id: dataDirId }
      return jsonAnswer({ live: true, version, uptime_s: uptimeS, ...id } satisfies LiveBody)
    }),
  )
  router.add(
    'GET',
    '/health/ready',
    openRoute(({ url }) => {
      const only = singleParam(parseQuery(url), 'chain')
      const body = readyBody(chains, { clock, headAgeSMax: limits.headAgeSMax, only })
      return jsonAnswer(body, body.ready ? 200 : 503)
    }),
  )
}

function addMarketRoutes(
  router: Router,
  openRoute: PublicRoute,
  options: RoutesOptions,
): LifecycleHooks[] {
  const { chains, clock, keys, limits, logger, responseEnvelope, scheduler } = options
  const rows = createMarketRows(clock, limits.encodedRowsBytesMax)
  const store = cacheHistoryStart(options.store)
  const screener = options.screener ?? createScreenerBoards(clock)
  const serving = {
    chains,
    clock,
    store,
    rows,
    scheduler,
    usageOf: keys.usageOf,
    positions: createTokenPositionCache(store),
    smartTrades: createSmartTrades(store, clock),
    screener,
    isCompatible: isCompatibilityMode(responseEnvelope),
  }
  const { anonymousClients } = options.clients
  const mcpTickets = createMcpTickets()
  const ofRoutes = { serving, keys, responseEnvelope, anonymousClients, mcpTickets }
  for (const operation of operations) {
    const route = createOperationRoute(operation, ofRoutes)
    router.add(operation.method, operation.path, route)
    if (serving.isCompatible && operation.compatPath !== undefined)
      router.add(operation.method, operation.compatPath, route)
  }
  if (options.isKeyInUdfPath) addChartsWithKeyInPath(router, ofRoutes, options.admin?.adminKey)
  if (options.mcp !== undefined)
    router.add('POST', '/mcp', createMcpRoute(options.mcp, { ...ofRoutes, scheduler, logger }))
  const servers = createBaseUrls(options.baseUrls)
  const addDescription = (path: string, describe: () => object) => {
    let document: StaticDocument | null = null
    const answer = openRoute((exchange) => {
      // Built on the first request: the service knows its URLs only once it listens.
      document ??= createStaticDocument(jsonContentType, JSON.stringify(describe()))
      return documentAnswer(exchange, document)
    })
    router.add('GET', path, answer)
  }
  addDescription('/asyncapi.json', () => asyncApiDocument(servers.urls()))
  addDescription('/openapi.json', () =>
    openApiDocument(operations, servers.urls(), responseEnvelope),
  )
  addBrowserKeyRoute(router, openRoute, options)
  return [
    servers,
    addPages(router, openRoute),
    addTerminal(router, openRoute),
    refreshTrending(options, screener),
  ]
}

const trendingEveryMs = 1_000

/** Keeps the trending rankings of all chains up to date, so that no request waits for a ranking. */
function refreshTrending(
  { chains, scheduler, logger }: RoutesOptions,
  screener: ScreenerBoards,
): LifecycleHooks {
  async function keep(name: string, chain: GatewayChain): Promise<void> {
    try {
      await screener.trending(chain).refresh(scheduler)
    } catch (error) {
      // A chain may be closed while its tokens are read.
      logger.warn({ msg: 'Failed to rank tokens', chain: name, err: error })
    }
  }
  const keepAll = () => {
    for (const [name, chain] of chains) void keep(name, chain)
  }
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      timer = setInterval(keepAll, trendingEveryMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}

/** Adds the chart feed a second time, with the API key in the path: `/udf/<key>/config`. */
function addChartsWithKeyInPath(
  router: Router,
  ofRoutes: OperationRouteOptions,
  adminKey: string | undefined,
): void {
  const isAdminKey = adminKey === undefined ? undefined : createSecretCheck(adminKey)
  for (const operation of operations.filter(isChartOperation)) {
    const path = operation.path.replace('/udf/', '/udf/{key}/')
    const keyed = { ...ofRoutes, isKeyInPath: true, isAdminKey }
    router.add(operation.method, path, createOperationRoute(operation, keyed))
  }
}

/**
 * Caches where the stored history of each chain begins, because answers that cost nothing contain
 * it.
 */
function cacheHistoryStart(store: StoreReads): StoreReads {
  const starts = new Map<number, () => Promise<number | null>>()
  return {
    ...store,
    loadHistoryStart(chainId) {
      let load = starts.get(chainId)
      if (load === undefined) {
        load = createSharedWork(() => store.loadHistoryStart(chainId), sharedAnswerMs)
        starts.set(chainId, load)
      }
      return load()
    },
  }
}

/**
 * Adds the route that gives the terminal's page an API key, for the token in the address that
 * `start` prints.
 */
function addBrowserKeyRoute(
  router: Router,
  openRoute: PublicRoute,
  { browserKeys }: Pick<HttpServerOptions, 'browserKeys'>,
): void {
  router.add(
    'POST',
    '/terminal/key',
    openRoute((exchange) => {
      const { request, apiKey } = exchange
      exchange.setHeader('cache-control', 'no-store')
      if (browserKeys === undefined)
        throw new RequestError('missing_key', 'Enter an API key.', 'X-API-KEY')
      const token = String(request.headers['x-terminal-token'] ?? '')
      const { text, expiresAtS } = browserKeys.issue(token, apiKey)
      return jsonAnswer({ key: text, expires_at: expiresAtS })
    }),
  )
}

/** Base URLs of the service, for its API documents. */
type BaseUrls = LifecycleHooks & { urls(): readonly string[] }

// Only tests read a document before the server listens.
const unknownUrls = ['http://localhost']

/**
 * Returns the configured base URLs. @default the address that the server listens on, with the
 * actual port
 */
function createBaseUrls(baseUrls: readonly string[] | undefined): BaseUrls {
  let urls = baseUrls ?? unknownUrls
  return {
    urls: () => urls,
    start(address) {
      urls = baseUrls ?? urlsOf(address)
    },
  }
}

/**
 * Returns the base URLs of a listening address. A service on this machine has its address and the
 * name localhost.
 */
function urlsOf(address: string): readonly string[] {
  const { hostname, port } = new URL(address)
  const byName = `http://localhost${port === '' ? '' : `:${port}`}`
  if (hostname === '[::]') return [byName]
  return isLoopback(hostname) ? [address, byName] : [address]
}
