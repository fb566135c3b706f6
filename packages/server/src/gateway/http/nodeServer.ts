import { createServer, type Server } from 'node:http'
import type { Clients } from '../clients/clients.ts'
import { keepAliveMs } from './answer/wholeAnswer.ts'
import type { Connections, SendLimits } from './connections.ts'
import { upgradeOptions } from './request/webSocketUpgrade.ts'

export type NodeServerLimits = SendLimits & { connectionsMax: number; requestMsMax: number }

// How often in the time a request may take it is looked at: a late one stays a quarter longer at most.
const lateChecks = 4

/** Node's server, not yet listening. */
export function createNodeServer(
  connections: Connections,
  { requestMsMax, connectionsMax }: NodeServerLimits,
  clients: Clients,
): Server {
  const server = createServer({
    ...upgradeOptions,
    // Of these two Node takes the larger one for the body, and its own for headers is a minute.
    requestTimeout: requestMsMax,
    headersTimeout: requestMsMax,
    // Node looks for requests that are late every 30 seconds only, unless told.
    connectionsCheckingInterval: Math.ceil(requestMsMax / lateChecks),
    keepAliveTimeout: keepAliveMs,
    // Its own refusal has no body; ours has.
    requireHostHeader: false,
  })
  server.maxConnections = connectionsMax
  // Who has sent all it will send still reads: a long answer is not over when that is noticed.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', clients.admit)
  connections.attach(server)
  return server
}
