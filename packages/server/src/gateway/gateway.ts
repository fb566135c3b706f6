import type { AddressLimits } from './clients/addressUsage.ts'
import { createClients } from './clients/clients.ts'
import type { Feed } from './feed/feed.ts'
import { ListenError } from './ground/errors.ts'
import { createScheduler } from './ground/scheduler.ts'
import { createHttpServer, type HttpServer, type ListenAddress } from './http/httpServer.ts'
import { allParts, type HttpServerOptions, type ServedPart } from './http/serverOptions.ts'
import type { WsLimits } from './ws/wsLimits.ts'
import { createWsServer } from './ws/wsServer.ts'

export type GatewayOptions = Omit<HttpServerOptions, 'parts' | 'clients'> & {
  host: string
  port: number
  /** Address of a separate metrics listener. Null: metrics are served on the main port. */
  metricsAt: ListenAddress | null
  adminAt: ListenAddress | null
  /**
   * True for a process that only writes to the store: serves health and metrics, but no market
   * data. @default false
   */
  isWriterOnly?: boolean | undefined
  feed: Feed
  socketLimits: WsLimits
  isCompressionEnabled: boolean
  trustedProxies: readonly string[]
  addressLimits: AddressLimits
}

export type Gateway = {
  /** Starts listening. Returns the address clients connect to, with the actual port. */
  listen(): Promise<string>
  /**
   * Returns the address of a part (metrics, admin) that listens on a separate port; undefined for
   * other parts.
   */
  addressOf(part: ServedPart): string | undefined
  /**
   * Closes WebSockets gradually, so that clients reconnect elsewhere, and accepts no new ones. HTTP
   * requests are still answered.
   */
  drain(reason: string): Promise<void>
  /** Stops accepting requests and resolves when all running requests are answered. */
  close(): Promise<void>
}

/**
 * Creates the REST and WebSocket server, with optional separate listeners for metrics and admin.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { host, port, metricsAt, adminAt, isWriterOnly = false, socketLimits, ...given } = options
  const shared = { scheduler: createScheduler(), ...given, clients: createClients(given) }
  const apart: readonly [ServedPart, ListenAddress | null][] = [
    ['metrics', metricsAt],
    ['admin', adminAt],
  ]
  const others = apart.flatMap(([part, at]) =>
    at === null ? [] : [{ part, at, app: createHttpServer({ ...shared, parts: [part] }) }],
  )
  const addresses = new Map<ServedPart, string>()
  const parts = allParts.filter(
    (part) =>
      apart.every(([name, at]) => name !== part || !at) && !(part === 'market' && isWriterOnly),
  )
  const app = createHttpServer({ ...shared, parts })
  const sockets = createWsServer({ ...shared, limits: socketLimits })
  if (!isWriterOnly) sockets.attach(app.server, app.connections)
  return {
    async listen() {
      for (const { part, at, ...other } of others) {
        const address = await listenAt(other.app, at)
        addresses.set(part, address)
        shared.logger.info({ msg: 'Listening on a separate port', part, address })
      }
      return await listenAt(app, { host, port })
    },
    addressOf: (part) => addresses.get(part),
    drain: sockets.drain,
    async close() {
      await sockets.close()
      await app.close()
      for (const other of others) await other.app.close()
    },
  }
}

async function listenAt(app: HttpServer, { host, port }: ListenAddress): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    throw new ListenError({ host, port, cause: error })
  }
}
