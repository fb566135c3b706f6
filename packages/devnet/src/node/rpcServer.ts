import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { listenError } from '../errors.ts'
import { guardFromPages } from './pageGuard.ts'
import type { Notification, Provider, Request } from './provider.ts'
import { faultOf } from './rpcError.ts'

type RpcServer = { rpcUrl: string; wsUrl: string; close(): Promise<void> }

export type RpcServerOptions = {
  host: string
  /** 0 takes any free port. */
  port: number
  provider: Provider
  /** Replaces the provider's own request. */
  request: Request
}

type Call = { id?: unknown; method?: unknown; params?: unknown }

/** JSON-RPC over HTTP and WebSocket on one port. */
export async function openRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port, provider, request } = options
  const http = createServer(async (incoming: IncomingMessage, response) => {
    const answer = await answerText(await text(incoming).catch(() => ''), request)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
  const sockets = new WebSocketServer({ server: http })
  // The server reports its errors itself.
  sockets.on('error', () => {})
  sockets.on('connection', (socket) => serveSocket(socket, provider, request))
  guardFromPages(http, host)
  await listen(http, host, port)
  const name = host.includes(':') ? `[${host}]` : host
  const bound = (http.address() as AddressInfo).port
  return {
    rpcUrl: `http://${name}:${bound}`,
    wsUrl: `ws://${name}:${bound}`,
    async close() {
      for (const client of sockets.clients) client.terminate()
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeAllConnections()
      await closed
    },
  }
}

function listen(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    http.listen(port, host, resolve)
  })
}

function serveSocket(socket: WebSocket, provider: Provider, request: Request): void {
  const subscriptions = new Set<unknown>()
  const listener = (params: Notification) => {
    if (!subscriptions.has(params.subscription)) return
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
  }
  const ask: Request = async (method, params) => {
    const result = await request(method, params)
    if (method === 'eth_subscribe') subscriptions.add(result)
    return result
  }
  provider.listeners.add(listener)
  socket.on('error', () => {})
  socket.on('message', async (message) => {
    socket.send(JSON.stringify(await answerText(message.toString(), ask)))
  })
  socket.on('close', () => {
    provider.listeners.delete(listener)
    for (const id of subscriptions) void request('eth_unsubscribe', [id]).catch(() => {})
  })
}

async function answerText(body: string, request: Request): Promise<unknown> {
  let calls: unknown
  try {
    calls = JSON.parse(body)
  } catch {
    return {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'The request is not JSON.' },
    }
  }
  return Array.isArray(calls)
    ? await Promise.all(calls.map((call) => answerCall(call, request)))
    : await answerCall(calls, request)
}

async function answerCall(call: unknown, request: Request): Promise<object> {
  const { id = null, method, params = [] } = (call ?? {}) as Call
  const answer = { jsonrpc: '2.0', id }
  if (typeof method !== 'string' || !Array.isArray(params)) {
    const message = 'A request needs a method, and params that are a list.'
    return { ...answer, error: { code: -32600, message } }
  }
  try {
    return { ...answer, result: await request(method, params) }
  } catch (error) {
    return { ...answer, error: faultOf(error) }
  }
}
