import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clients } from '../clients/clients.ts'
import { keepAliveMs } from './answer/wholeAnswer.ts'
import { refuseBytes } from './request/refuseBytes.ts'
import type { RequestLines, SendLimits } from './request/requestLines.ts'
import { upgradeOptions } from './request/webSocketUpgrade.ts'

export type NodeServerLimits = SendLimits & { connectionsMax: number; requestMsMax: number }

// How often in the time a request may take it is looked at: a late one stays a quarter longer at most.
const lateChecks = 4

/** Node's server with its connections' requests in line. */
export function createNodeServer(
  lines: RequestLines,
  { requestMsMax, connectionsMax }: NodeServerLimits,
  clients: Clients,
): Server {
  const server = createServer(
    {
      ...upgradeOptions,
      // Of these two Node takes the larger one for the body, and its own for headers is a minute.
      requestTimeout: requestMsMax,
      headersTimeout: requestMsMax,
      // Node looks for requests that are late every 30 seconds only, unless told.
      connectionsCheckingInterval: Math.ceil(requestMsMax / lateChecks),
      keepAliveTimeout: keepAliveMs,
      // Its own refusal has no body; ours has.
      requireHostHeader: false,
    },
    lines.enter,
  )
  server.maxConnections = connectionsMax
  // Who has sent all it will send still reads: a long answer is not over when that is noticed.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Of expectations only 100-continue means anything; others may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connection', clients.admit)
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    refuseBytes(error, socket as Socket, lines.stop(socket))
  })
  lines.attach(server)
  return server
}
