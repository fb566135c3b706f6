// The WebSocket server on a free port, with keys defined by the test.

import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import type { Clock } from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import type { Clients } from '../../packages/server/src/gateway/clients/clients.ts'
import { RequestError } from '../../packages/server/src/gateway/ground/errors.ts'
import { upgradeOptions } from '../../packages/server/src/gateway/http/request.ts'
import type { KeyAccess } from '../../packages/server/src/gateway/keys/keyAccess.ts'
import type {
  SocketCaller,
  SocketKeyAccess,
} from '../../packages/server/src/gateway/keys/keySockets.ts'
import type { Plan } from '../../packages/server/src/gateway/keys/plan.ts'
import type { WsLimits } from '../../packages/server/src/gateway/ws/wsLimits.ts'
import { createWsServer, type WsServer } from '../../packages/server/src/gateway/ws/wsServer.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createMetrics, type Metrics } from '../../packages/server/src/lib/metrics.ts'
import { defaultSocketLimits } from './gatewayDefaults.ts'
import { createUnlimitedClients } from './unlimitedClients.ts'
import { createTestFeed, type TestFeed } from './wsFeed.ts'

export const planWithoutLimits: Plan = {
  name: 'open',
  requestsPerS: null,
  creditsPerPeriod: null,
  socketsMax: null,
  subscriptionsMax: null,
  priceIdsMax: null,
  messagesPerS: null,
  messageBytesMax: null,
  batchCallsMax: null,
}

/** A key that the test can end. */
export function holderOf(id: number, plan: Plan = planWithoutLimits) {
  const holder = {
    key: { id },
    plan,
    ended: null as ReturnType<SocketCaller['fault']>,
    fault: () => holder.ended,
  }
  return holder satisfies SocketCaller
}

/** Keys by their text. */
export function keysOf(holders: Record<string, SocketCaller>): SocketKeyAccess {
  return {
    identify(text) {
      if (!text) throw new RequestError('missing_key', 'No key.')
      const holder = Object.hasOwn(holders, text) ? holders[text] : undefined
      if (holder === undefined) throw new RequestError('invalid_key', 'Unknown key.')
      return holder
    },
  }
}

/** Longer than any test: a slow machine must not hit a limit that the test is not about. */
const patientMs = 3_600_000
const patientLimits: Partial<WsLimits> = {
  sendMsMax: patientMs,
  pingMs: patientMs,
  pongMsMax: patientMs,
  closeMsMax: patientMs,
}

export type WsService = {
  port: number
  url: string
  feed: TestFeed
  server: WsServer
  metrics: Metrics
  /** Server-side sockets of all connections, oldest first. */
  peers: readonly Socket[]
  connect(path?: string, options?: ClientOptions): Promise<WsClient>
  stop(): Promise<void>
}

export type WsServiceOptions = {
  limits?: Partial<WsLimits>
  keys?: SocketKeyAccess
  isCompressionEnabled?: boolean
  clients?: Clients
  /** @default the machine's clock */
  clock?: Clock
}

export async function startWsService(options: WsServiceOptions = {}): Promise<WsService> {
  const feed = createTestFeed()
  const metrics = createMetrics()
  const keys = options.keys ?? keysOf({ key: holderOf(1) })
  const server = createWsServer({
    feed,
    keys,
    clock: options.clock ?? { nowMs: () => Date.now() },
    logger: createLogger('silent'),
    metrics,
    limits: { ...defaultSocketLimits, ...patientLimits, ...options.limits },
    isCompressionEnabled: options.isCompressionEnabled ?? false,
    clients: options.clients ?? createUnlimitedClients(keys as KeyAccess),
    tickMs: 20,
  })
  // Answers plain HTTP requests with a summary of the received request.
  const http = createServer(upgradeOptions, (request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () =>
      response.end(`${request.method} ${request.url} ${request.headers['x-api-key']} ${bytes}`),
    )
  })
  server.attach(http)
  const peers: Socket[] = []
  http.on('connection', (socket) => void peers.push(socket))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const clients: WsClient[] = []
  return {
    port,
    url: `ws://127.0.0.1:${port}`,
    feed,
    server,
    metrics,
    peers,
    async connect(path = '/?api_key=key', clientOptions = {}) {
      const client = createWsClient(`ws://127.0.0.1:${port}${path}`, clientOptions)
      clients.push(client)
      await client.opened
      return client
    },
    async stop() {
      for (const { webSocket } of clients) webSocket.terminate()
      // Closes all sockets without waiting, including raw clients that never close.
      for (const peer of peers) peer.destroy()
      await server.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

export type WsClient = {
  webSocket: WebSocket
  opened: Promise<void>
  closed: Promise<{ code: number; reason: string }>
  /** Received messages that no `next` has returned yet. */
  messages: unknown[]
  send(value: unknown): void
  /** The next message, parsed; rejects if the socket closes first. */
  next(): Promise<unknown>
  /** Sends a call and returns the next message, which must be its answer. */
  call(value: unknown): Promise<unknown>
}

function createWsClient(url: string, options: ClientOptions): WsClient {
  const webSocket = new WebSocket(url, { perMessageDeflate: false, ...options })
  const messages: unknown[] = []
  const waiting: { resolve: (message: unknown) => void; reject: (error: Error) => void }[] = []
  webSocket.on('message', (data) => {
    const message: unknown = JSON.parse(data.toString())
    const first = waiting.shift()
    if (first === undefined) messages.push(message)
    else first.resolve(message)
  })
  const opened = new Promise<void>((resolve, reject) => {
    webSocket.on('open', resolve)
    webSocket.on('error', reject)
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.on('close', (code, reason) => {
      for (const { reject } of waiting) reject(new Error(`closed with ${code}`))
      resolve({ code, reason: reason.toString() })
    })
  })
  const client: WsClient = {
    webSocket,
    opened,
    closed,
    messages,
    send: (value) => webSocket.send(typeof value === 'string' ? value : JSON.stringify(value)),
    next() {
      if (messages.length > 0) return Promise.resolve(messages.shift())
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    call(value) {
      client.send(value)
      return client.next()
    },
  }
  return client
}

export function rpc(method: string, params?: unknown, id: unknown = 1) {
  return { jsonrpc: '2.0', method, params, id }
}

/** A call without an id, which gets no answer. */
export function notification(method: string, params?: unknown) {
  return { jsonrpc: '2.0', method, params }
}
