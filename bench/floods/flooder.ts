// The misbehaving clients, in a separate process. They connect to loopback only, are bounded in
// number and run until told to stop.
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { chainName } from '../rest/market.ts'
import { freeKey, hoardKey } from './floodKeys.ts'
import type { FloodName, FloodOrder } from './floodNames.ts'
import { floodMcp } from './mcpBatches.ts'

const pipelinedBytes = 61_000
const hoardSockets = 10
const hoardPairs = 10_000
const intervals = ['s1', 'k1', 'k5', 'k15', 'k30', 'k60', 'k120', 'k240', 'k1440', 'k10080']
const itemsPerMessage = 5_000

let isOn = false
const sockets = new Set<{ destroy(): void }>()

/** Opens a connection and reopens it whenever it is closed. */
function keepOpen(port: number, onOpen: (socket: Socket) => void): void {
  if (!isOn) return
  const socket = connect(port, '127.0.0.1')
  sockets.add(socket)
  socket.on('error', () => undefined)
  socket.once('connect', () => onOpen(socket))
  socket.once('close', () => {
    sockets.delete(socket)
    setTimeout(() => keepOpen(port, onOpen), 1)
  })
}

function many(count: number, port: number, onOpen: (socket: Socket) => void): void {
  for (let at = 0; at < count; at += 1) keepOpen(port, onOpen)
}

/** Sends as many requests at once as fit into the buffer, and again when some are answered. */
function pipeline(socket: Socket, path: string): void {
  const one = `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`
  const all = one.repeat(Math.floor(pipelinedBytes / one.length))
  socket.write(all)
  socket.on('data', () => {
    if (socket.writableLength === 0) socket.write(all)
  })
}

function openSocket(port: number, key: string, onOpen: (webSocket: WebSocket) => void): void {
  if (!isOn) return
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/?api_key=${key}`)
  sockets.add({ destroy: () => webSocket.terminate() })
  webSocket.on('error', () => undefined)
  webSocket.once('open', () => onOpen(webSocket))
}

function batches(webSocket: WebSocket, port: number): void {
  const message = `[${'{},'.repeat(20_000)}{}]`
  const timer = setInterval(() => webSocket.send(message, () => undefined), 250)
  webSocket.once('close', () => {
    clearInterval(timer)
    setTimeout(() => openSocket(port, freeKey, (next) => batches(next, port)), 10)
  })
}

/** Subscribes to as much as possible, and closes when the last subscription is confirmed. */
function hoard(webSocket: WebSocket, pairs: readonly string[]): void {
  const items = pairs.flatMap((pair) => intervals.map((interval) => [pair, interval, chainName]))
  let asked = 0
  const next = () => {
    if (asked >= items.length) {
      webSocket.terminate()
      return
    }
    const params = ['multi_kline', ...items.slice(asked, asked + itemsPerMessage)]
    asked += itemsPerMessage
    webSocket.send(JSON.stringify({ jsonrpc: '2.0', id: asked, method: 'subscribe', params }))
  }
  webSocket.on('message', (data: Buffer) => {
    if (data.subarray(0, 80).includes('"result":{"status"')) next()
  })
  next()
}

const floods: Record<FloodName, (port: number, pairs: readonly string[]) => void> = {
  'pipelined /metrics': (port) => many(10, port, (socket) => pipeline(socket, '/metrics')),
  '/openapi.json on 100 sockets': (port) =>
    many(100, port, (socket) => pipeline(socket, '/openapi.json')),
  'pages on 60 sockets': (port) => {
    for (const path of ['/', '/docs/', '/openapi.json'])
      many(20, port, (socket) => pipeline(socket, path))
  },
  'If-None-Match of 15,500 spaces': (port) =>
    many(10, port, (socket) => {
      const ask = () =>
        socket.write(
          `GET / HTTP/1.1\r\nHost: bench\r\nIf-None-Match: a${' '.repeat(15_500)}a\r\n\r\n`,
        )
      socket.on('data', ask)
      ask()
    }),
  'readers that never read': (port) =>
    many(100, port, (socket) => {
      socket.pause()
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n'.repeat(500))
    }),
  'anonymous clients with bad keys': (port) =>
    many(50, port, (socket) => {
      const ask = () =>
        socket.write(
          `GET /v2/status HTTP/1.1\r\nHost: bench\r\nX-API-KEY: ct_${randomBytes(32).toString('hex')}\r\n\r\n`,
        )
      socket.on('data', ask)
      ask()
    }),
  'batches on a free key': (port) => {
    for (let at = 0; at < 5; at += 1) openSocket(port, freeKey, (one) => batches(one, port))
  },
  'MCP batches on a free key': (port) => many(50, port, floodMcp),
  connections: (port) => many(200, port, (socket) => setTimeout(() => socket.destroy(), 5)),
  'a million subscriptions dropped': (port, pairs) => {
    for (let at = 0; at < hoardSockets; at += 1)
      openSocket(port, hoardKey, (webSocket) => hoard(webSocket, pairs.slice(0, hoardPairs)))
  },
}

process.on('message', (order: FloodOrder) => {
  isOn = order.type === 'start'
  if (order.type === 'start') floods[order.flood](order.port, order.pairs)
  else for (const socket of sockets) socket.destroy()
  if (!isOn) sockets.clear()
  process.send?.({ type: order.type })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ type: 'ready' })
