import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { pollOptions } from '../../../../../test/support/until.ts'
import { createLogger } from '../../lib/logger.ts'
import { newHeadsOf } from '../evm/heads/heads.ts'
import { createHeadSocket, type HeadSocket } from './headSocket.ts'

type Question = { id: number; method: string }

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Starts a node's socket. `asked` lists the methods of each connection. */
async function startSocket(chainId: string) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true })
  await once(server, 'listening')
  closers.push(() => server.close())
  const asked: string[][] = []
  const node = { chainId, asked, last: null as WebSocket | null }
  server.on('connection', (socket) => {
    const methods: string[] = []
    asked.push(methods)
    node.last = socket
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as Question
      methods.push(method)
      const result = method === 'eth_chainId' ? node.chainId : '0x99'
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  return { node, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function open(url: string, chainId: number | undefined): HeadSocket {
  const logger = createLogger('silent')
  const dialect = newHeadsOf(chainId)
  const heads = createHeadSocket({ urls: [url], dialect, onHead: () => undefined, logger })
  closers.push(heads.close)
  return heads
}

test('default: announcements are subscribed to after the chain is known', async () => {
  const { node, url } = await startSocket('0x38')
  const heads = open(url, 56)
  await vi.waitFor(() => expect(heads.isOpen()).toBe(true), pollOptions)
  expect(node.asked).toEqual([['eth_chainId', 'eth_subscribe']])
})

test('behavior: not asked where nothing is expected', async () => {
  const { node, url } = await startSocket('0x38')
  const heads = open(url, undefined)
  await vi.waitFor(() => expect(heads.isOpen()).toBe(true), pollOptions)
  expect(node.asked).toEqual([['eth_subscribe']])
})

test('behavior: one that comes back as another is not subscribed to', async () => {
  const { node, url } = await startSocket('0x38')
  const heads = open(url, 56)
  await vi.waitFor(() => expect(heads.isOpen()).toBe(true), pollOptions)
  node.chainId = '0x1'
  node.last!.terminate()
  // A third connection shows that the second one was closed.
  await vi.waitFor(() => expect(node.asked.length).toBeGreaterThan(2), pollOptions)
  expect(heads.isOpen()).toBe(false)
  expect(node.asked[1]).toEqual(['eth_chainId'])
})

test('behavior: a node that would compress is not let, and one that sends a megabyte is left', async () => {
  const { node, url } = await startSocket('0x38')
  const heads = open(url, 56)
  await vi.waitFor(() => expect(heads.isOpen()).toBe(true))
  expect(node.last!.extensions).toBe('')
  const closed = once(node.last!, 'close')
  node.last!.send(Buffer.alloc(1_048_577))
  expect((await closed)[0]).toBe(1009)
})

test('behavior: a node that floods with pings and reads no pongs is disconnected', async () => {
  const { node, url } = await startSocket('0x38')
  const heads = open(url, 56)
  await vi.waitFor(() => expect(heads.isOpen()).toBe(true), pollOptions)
  const flooder = node.last!
  flooder.on('error', () => undefined)
  flooder.pause()
  // More pongs than the buffers of both ends hold.
  const pingsMax = 300_000
  const payload = Buffer.alloc(125)
  for (let sent = 0; sent < pingsMax && flooder.readyState === flooder.OPEN; sent += 1_000) {
    for (let ping = 1; ping < 1_000; ping++) flooder.ping(payload, false, () => undefined)
    await new Promise((resolve) => flooder.ping(payload, false, resolve))
  }
  expect(flooder.readyState).not.toBe(flooder.OPEN)
})
