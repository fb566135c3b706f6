import { ListenError } from './errors.ts'
import { createHttpServer, type HttpServerOptions } from './httpServer.ts'

export type GatewayOptions = HttpServerOptions & { host: string; port: number }

export type Gateway = {
  /** Gives the address clients use, with the real port. */
  listen(): Promise<string>
  /** Takes no more requests and waits for those under way. */
  close(): Promise<void>
}

/** Parses, authorises, reads the engines, and encodes. */
export function createGateway(options: GatewayOptions): Gateway {
  const { host, port, ...serverOptions } = options
  const app = createHttpServer(serverOptions)
  return {
    async listen() {
      try {
        return await app.listen({ host, port })
      } catch (error) {
        throw new ListenError({ host, port, cause: error })
      }
    },
    close: () => app.close(),
  }
}
