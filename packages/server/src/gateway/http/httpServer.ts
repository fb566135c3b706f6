import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createScheduler } from '../ground/scheduler.ts'
import { createAnswerCompressor } from './answer/encoding.ts'
import { createBufferPool } from './answer/exchange.ts'
import { keepAliveMs } from './answer/wholeAnswer.ts'
import { createHttpConnections, type HttpConnections } from './connections.ts'
import { createDispatcher } from './dispatcher.ts'
import { createPublicRoute } from './publicRoute.ts'
import { upgradeOptions } from './request.ts'
import { createRouter } from './router.ts'
import { addRoutes } from './routes.ts'
import {
  allParts,
  type GatewayLimits,
  type HttpServerOptions,
  type LifecycleHooks,
} from './serverOptions.ts'

/** Address that a server listens on. */
export type ListenAddress = { host: string; port: number }

export type HttpServer = {
  server: Server
  connections: HttpConnections
  /** Starts listening. Returns the URL for clients, with the actual port. */
  listen(place: ListenAddress): Promise<string>
  /** Refuses new connections, and waits for the requests of open connections. */
  close(): Promise<void>
}

/** Creates the HTTP server with every route, not yet listening. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const {
    logger,
    limits,
    metrics,
    clients,
    scheduler = createScheduler(),
    parts = allParts,
  } = options
  const router = createRouter()
  const publicRoute = createPublicRoute(scheduler, clients.anonymousClients)
  const phases: LifecycleHooks[] = addRoutes(router, publicRoute, { ...options, scheduler, parts })
  let isClosing = false
  const dispatch = createDispatcher(
    {
      router,
      publicRoute,
      corsOrigins: options.corsOrigins,
      bodyBytesMax: limits.bodyBytesMax,
    },
    {
      buffers: createBufferPool(),
      compressor: createAnswerCompressor(),
      scheduler,
      metrics,
      logger,
      isClosing: () => isClosing,
    },
  )
  const connections = createHttpConnections(dispatch, limits)
  const server = createNodeServer(limits)
  server.on('connection', clients.admit)
  connections.attach(server)

  return {
    server,
    connections,
    async listen({ host, port }) {
      for (const { prepare } of phases) await prepare?.()
      const listening = once(server, 'listening')
      server.listen(port, host)
      await listening
      const address = urlOf(server.address() as AddressInfo)
      for (const { start } of phases) start?.(address)
      return address
    },
    async close() {
      isClosing = true
      connections.close()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
      for (const { stop } of phases) stop?.()
    },
  }
}

function urlOf({ address, port }: AddressInfo): string {
  // Clients cannot connect to 0.0.0.0, but they reach the same server at 127.0.0.1.
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  return address.includes(':') ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

// Number of checks for late requests per `requestMsMax`: a late request lasts at most a quarter
// longer.
const lateChecks = 4

function createNodeServer({ requestMsMax, connectionsMax }: GatewayLimits): Server {
  const server = createServer({
    ...upgradeOptions,
    // Node applies the larger of the two timeouts to the body; its default for headers is a minute.
    requestTimeout: requestMsMax,
    headersTimeout: requestMsMax,
    // By default, Node looks for late requests only every 30 seconds.
    connectionsCheckingInterval: Math.ceil(requestMsMax / lateChecks),
    keepAliveTimeout: keepAliveMs,
    // The dispatcher checks the Host header instead: Node's own refusal has no body.
    requireHostHeader: false,
  })
  server.maxConnections = connectionsMax
  // A client that has ended its sending side still reads: a long answer must not end when Node
  // notices that.
  return Object.assign(server, { httpAllowHalfOpen: true })
}
