import { type LiveBody, successEnvelope } from '@chaintape/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpServerOptions } from './httpServer.ts'
import { authenticate } from './keys/auth.ts'
import { createKeyCache } from './keys/keyCache.ts'
import { readyBody } from './rest/health.ts'
import { mainTokens } from './rest/mainTokens.ts'
import { metricsText } from './rest/metrics.ts'
import { pairDetail } from './rest/pairDetail.ts'

/** Every path of the service. */
export function addRoutes(app: FastifyInstance, options: HttpServerOptions): void {
  const { chains, clock, limits, metrics } = options
  const startedMs = clock.nowMs()

  app.get('/health/live', async (): Promise<LiveBody> => {
    const uptimeS = Math.floor((clock.nowMs() - startedMs) / 1_000)
    return { live: true, version: options.version, uptime_s: uptimeS }
  })
  app.get('/health/ready', async (_request, reply) => {
    const body = readyBody(chains, { clock, headAgeSMax: limits.headAgeSMax })
    return reply.code(body.ready ? 200 : 503).send(body)
  })
  app.get('/metrics', async (_request, reply) => {
    const text = await metricsText(metrics, chains)
    return reply.type(metrics.registry.contentType).send(text)
  })
  addMarketRoutes(app, options)
}

/** The operations of the contract, behind the key check. */
function addMarketRoutes(app: FastifyInstance, options: HttpServerOptions): void {
  const { chains, clock, limits, logger, metrics, keys } = options
  const keyCache = createKeyCache({
    keys,
    clock,
    logger,
    metrics,
    countMax: limits.keyCacheCountMax,
    trustMs: limits.keyCacheMs,
    lookupMsMax: limits.keyLookupMsMax,
  })
  const onRequest = async (request: FastifyRequest) => {
    await authenticate(request.headers['x-api-key'], { keyCache, clock })
  }
  /** The body as the contract has it, or in the envelope when that is asked for. */
  const answer = (body: object, msg?: string) =>
    options.responseEnvelope === 'always' ? successEnvelope(body, msg) : body

  app.get('/v2/tokens/main', { onRequest }, async (request) =>
    answer(mainTokens(chains, request.query, clock)),
  )
  app.get<{ Params: { pairId: string } }>('/v2/pairs/:pairId', { onRequest }, async (request) => {
    const body = pairDetail(chains, request.params.pairId, clock)
    return body === null ? answer({}, 'SUCCESS: pair not found') : answer(body)
  })
}
