import type { IncomingMessage, Server, ServerOptions } from 'node:http'

/**
 * Some HTTP clients offer HTTP/2 with every request: they do not ask for a WebSocket. A request with a body does not either:
 * no WebSocket client sends one, and Node 26 would pass a wrapper of its socket, whose bytes it still parses as HTTP.
 */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && !hasBody(headers)
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

type UpgradeOptions = ServerOptions & {
  shouldUpgradeCallback(this: Server, request: IncomingMessage): boolean
}

/**
 * Options of Node's server: it answers every other request as if it offered no upgrade. Node 20 does not know this option;
 * there `ignoreUpgrade` does the same. Node drops what a client pipelines behind the body of such a request.
 */
export const upgradeOptions: UpgradeOptions = {
  shouldUpgradeCallback(request) {
    return this.listenerCount('upgrade') > 0 && isWebSocketUpgrade(request)
  },
}
