// Share of the event loop that one answer takes, measured in bytes written to sockets.
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createBareHttpServer } from '../../../../../../test/support/bareHttpServer.ts'
import { createScheduler, type Scheduler } from '../../ground/scheduler.ts'
import { sliceBytes } from './exchange.ts'

/**
 * Opens a server that counts the bytes written in each work item of anonymous clients, and outside
 * of such items.
 */
async function countingServer() {
  const scheduler = createScheduler()
  const written = { mostInOne: 0, outside: 0 }
  let inWork: { bytes: number } | null = null
  const counted: Scheduler = {
    run: (work) => scheduler.run(work),
    isFree: () => scheduler.isFree(),
    isSlotOver: () => scheduler.isSlotOver(),
    newPosition: () => scheduler.newPosition(),
    nextSlot: (place) => scheduler.nextSlot(place),
    runAnonymous: (work) =>
      scheduler.runAnonymous(() => {
        const here = { bytes: 0 }
        inWork = here
        work()
        inWork = null
        written.mostInOne = Math.max(written.mostInOne, here.bytes)
      }),
  }
  const app = createBareHttpServer({ scheduler: counted })
  onTestFinished(() => app.close())
  app.server.prependListener('connection', (socket: Socket) => {
    const { write } = socket
    socket.write = function count(this: Socket, ...args: Parameters<Socket['write']>) {
      const bytes = Buffer.byteLength(args[0])
      if (inWork === null) written.outside += bytes
      else inWork.bytes += bytes
      return write.apply(this, args)
    } as Socket['write']
  })
  return { address: await app.listen({ host: '127.0.0.1', port: 0 }), written }
}

const headBytesMax = 1_024

test('behavior: a long body leaves in slices, each in its own scheduler slot', async () => {
  const { address, written } = await countingServer()
  const asked = () =>
    fetch(`${address}/openapi.json`, { headers: { 'accept-encoding': 'identity' } })
  // All requests wait until the document is built.
  const texts = await Promise.all(Array.from({ length: 20 }, async () => (await asked()).text()))
  expect(texts[0]!.length).toBeGreaterThan(2 * sliceBytes)
  expect(JSON.parse(texts[0]!)).toHaveProperty('openapi')
  for (const text of texts) expect(text).toBe(texts[0])
  expect(written.mostInOne).toBeLessThanOrEqual(sliceBytes + headBytesMax)
  expect(written.outside).toBe(0)
})

test('behavior: HEAD of a long body gets its length without the body', async () => {
  const { address, written } = await countingServer()
  const headers = { 'accept-encoding': 'identity' }
  const { length } = await (await fetch(`${address}/openapi.json`, { headers })).text()
  written.mostInOne = 0
  const head = await fetch(`${address}/openapi.json`, { method: 'HEAD', headers })
  expect(Number(head.headers.get('content-length'))).toBeGreaterThanOrEqual(length)
  expect(written.mostInOne).toBeLessThanOrEqual(headBytesMax)
})

test('behavior: a client that ends its sending side gets the whole body', async () => {
  const { address } = await countingServer()
  const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('latin1')
  socket.end('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  const bodyAt = text.indexOf('\r\n\r\n') + 4
  expect(text.slice(0, bodyAt)).toContain(`content-length: ${text.length - bodyAt}`)
})

test('behavior: a disconnect in the middle of a long body leaves nothing behind', async () => {
  const { address } = await countingServer()
  const controller = new AbortController()
  const { signal } = controller
  const half = await fetch(`${address}/openapi.json`, {
    signal,
    headers: { 'accept-encoding': 'identity' },
  })
  await half.body!.getReader().read()
  controller.abort()
  expect((await fetch(`${address}/health/live`)).status).toBe(200)
})
