import type { AddressLimits } from './clients/addressBook.ts'
import { createClients } from './clients/clients.ts'
import { ListenError } from './errors.ts'
import type { Feed } from './feed/feed.ts'
import { createHttpServer, type HttpServer, type Place } from './http/httpServer.ts'
import { type HttpServerOptions, type ServedPart, servedParts } from './http/serverOptions.ts'
import { createTurns } from './turns/turns.ts'
import type { WsLimits } from './ws/wsLimits.ts'
import { createWsServer } from './ws/wsServer.ts'

export type GatewayOptions = Omit<HttpServerOptions, 'parts' | 'clients'> & {
  host: string
  port: number
  /** Null: with all the rest. */
  metricsAt: Place | null
  adminAt: Place | null
  /** Who only writes serves nobody, and tells whether it is well. @default false */
  isMarketLess?: boolean | undefined
  feed: Feed
  socketLimits: WsLimits
  isCompressionEnabled: boolean
  trustedProxies: readonly string[]
  addressLimits: AddressLimits
}

export type Gateway = {
  /** Gives the address clients use, with the real port. */
  listen(): Promise<string>
  /** Where a part is that has a port of its own. */
  addressOf(part: ServedPart): string | undefined
  /** Sends WebSockets to others, a few at a time, and takes no more; requests are still answered. */
  drain(reason: string): Promise<void>
  /** Takes no more requests and waits for those under way. */
  close(): Promise<void>
}

/** REST and WebSocket on one port: parses, authorises, reads the engines, encodes, and pushes. */
export function createGateway(options: GatewayOptions): Gateway {
  const { host, port, metricsAt, adminAt, isMarketLess = false, socketLimits, ...given } = options
  const shared = { turns: createTurns(), ...given, clients: createClients(given) }
  const apart: readonly [ServedPart, Place | null][] = [
    ['metrics', metricsAt],
    ['admin', adminAt],
  ]
  const others = apart.flatMap(([part, at]) =>
    at === null ? [] : [{ part, at, app: createHttpServer({ ...shared, parts: [part] }) }],
  )
  const addresses = new Map<ServedPart, string>()
  const parts = servedParts.filter(
    (part) =>
      apart.every(([name, at]) => name !== part || !at) && !(part === 'market' && isMarketLess),
  )
  const app = createHttpServer({ ...shared, parts })
  const sockets = createWsServer({ ...shared, limits: socketLimits })
  if (!isMarketLess) sockets.attach(app.server, app.connections)
  return {
    async listen() {
      for (const { part, at, ...other } of others) {
        const address = await listenAt(other.app, at)
        addresses.set(part, address)
        shared.logger.info({ msg: 'Listening apart', part, address })
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

async function listenAt(app: HttpServer, { host, port }: Place): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    throw new ListenError({ host, port, cause: error })
  }
}
