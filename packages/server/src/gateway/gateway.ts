import { ListenError } from './errors.ts'
import type { Feed } from './feed/feed.ts'
import { createHttpServer, type HttpServerOptions } from './httpServer.ts'
import type { WsLimits } from './ws/wsLimits.ts'
import { createWsServer } from './ws/wsServer.ts'

export type GatewayOptions = HttpServerOptions & {
  host: string
  port: number
  feed: Feed
  socketLimits: WsLimits
  isCompressionEnabled: boolean
  trustProxy: boolean
}

export type Gateway = {
  /** Gives the address clients use, with the real port. */
  listen(): Promise<string>
  /** Takes no more requests and waits for those under way. */
  close(): Promise<void>
}

/** REST and WebSocket on one port: parses, authorises, reads the engines, encodes, and pushes. */
export function createGateway(options: GatewayOptions): Gateway {
  const { host, port, socketLimits, ...shared } = options
  const app = createHttpServer(shared)
  const sockets = createWsServer({ ...shared, limits: socketLimits })
  sockets.attach(app.server)
  return {
    async listen() {
      try {
        return await app.listen({ host, port })
      } catch (error) {
        throw new ListenError({ host, port, cause: error })
      }
    },
    async close() {
      await sockets.close()
      await app.close()
    },
  }
}
