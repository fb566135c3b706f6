import type { Server } from 'node:http'
import hardhat from 'hardhat/internal/hardhat-network/jsonrpc/server.js'
import { listenError } from '../errors.ts'
import { guardFromPages } from './pageGuard.ts'
import type { Provider, Request } from './provider.ts'

type RpcServer = { rpcUrl: string; wsUrl: string; close(): Promise<void> }

export type RpcServerOptions = {
  host: string
  /** 0 takes any free port. */
  port: number
  provider: Provider
  /** Answers in place of the provider's own request. */
  request: Request
}

// What Hardhat's server holds, which its types hide: its listen() has no way to fail, and its close()
// waits for clients that never hang up.
type Inside = {
  _httpServer: Server
  _wsServer: { clients: Set<{ terminate(): void }>; on(event: 'error', listener: () => void): void }
}

/** JSON-RPC over HTTP and WebSocket on one port. */
export async function openRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port, provider, request } = options
  const facade = {
    request: (args: { method: string; params?: readonly unknown[] }) =>
      request(args.method, args.params),
    addListener: provider.addListener,
    removeListener: provider.removeListener,
  }
  const server = new hardhat.JsonRpcServer({ hostname: host, port, provider: facade as never })
  const { _httpServer: http, _wsServer: ws } = server as unknown as Inside
  ws.on('error', () => {})
  guardFromPages(http, host)
  const failed = new Promise<never>((_, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
  })
  const address = await Promise.race([server.listen(), failed])
  const name = host.includes(':') ? `[${host}]` : host
  return {
    rpcUrl: `http://${name}:${address.port}`,
    wsUrl: `ws://${name}:${address.port}`,
    async close() {
      for (const client of ws.clients) client.terminate()
      const closed = server.close()
      http.closeAllConnections()
      await closed
    },
  }
}
