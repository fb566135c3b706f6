// Real clients that stop reading: the kernel's buffers fill first, then the server's outbox.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { maskedFrame, openRawWebSocket } from '../../../../../../test/support/rawWebSocket.ts'
import { until } from '../../../../../../test/support/until.ts'
import { pushOf } from '../../../../../../test/support/wsFeed.ts'
import {
  rpc,
  startWsService,
  type WsClient,
  type WsService,
} from '../../../../../../test/support/wsService.ts'

let service: WsService

afterEach(() => service.stop())

const padBytes = 50_000
const outboxBytesMax = 2_000_000

type Received = { id: number; result: { n: number; status?: string; cursor?: string } }

type Publishing = {
  key: string
  conflateKey: string | null
  isDone: () => boolean
  /** A client that receives each push before the next is published, so it never becomes slow. */
  good?: WsClient
}

/** Publishes pushes numbered from 1 until a condition holds. Returns the last number. */
async function publishUntil({ key, conflateKey, isDone, good }: Publishing): Promise<number> {
  let n = 0
  while (!isDone()) {
    n += 1
    service.feed.publish(key, pushOf(n, { conflateKey, padBytes }))
    if (good === undefined) await nextTurn()
    else expect(numbers(await take(good, 1))).toEqual([n])
  }
  return n
}

async function take(client: WsClient, count: number): Promise<Received[]> {
  const received: Received[] = []
  while (received.length < count) received.push((await client.next()) as Received)
  return received
}

function numbers(received: readonly Received[]): number[] {
  return received.map(({ result }) => result.n)
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

test('behavior: conflatable pushes are conflated, all others arrive in order', async () => {
  service = await startWsService({ limits: { outboxBytesMax } })
  const { feed, server } = service
  const slow = await service.connect()
  const good = await service.connect()
  for (const client of [slow, good]) {
    await client.call(rpc('subscribe', ['tx', 'kline', 'x'], 1))
    await client.call(rpc('subscribe', ['tx', 'swap', 'x'], 2))
  }
  slow.webSocket.pause()
  const isConflating = () => server.stats().pushesConflated >= 10
  const kline = { key: 'tx:kline-x', conflateKey: 'k' }
  const lastKline = await publishUntil({ ...kline, isDone: isConflating, good })
  for (let n = lastKline + 1; n <= lastKline + 5; n++)
    feed.publish('tx:swap-x', pushOf(n, { padBytes }))
  feed.publish('tx:kline-x', pushOf(lastKline + 6, { conflateKey: 'k', padBytes }))
  feed.publish('tx:kline-x', pushOf(lastKline + 7, { conflateKey: 'other', padBytes }))
  const { pushesConflated, laggedCloses } = server.stats()
  expect(laggedCloses).toBe(0)

  expect(numbers(await take(good, 7))).toEqual(range(lastKline + 1, lastKline + 7))
  slow.webSocket.resume()
  const received = await take(slow, lastKline + 7 - pushesConflated)
  expect(await slow.call(rpc('ping', [], 9))).toMatchObject({ id: 9, result: 'pong' })
  // Push numbers never decrease, and the newest push of every key arrives.
  expect(numbers(received)).toEqual(numbers(received).toSorted((a, b) => a - b))
  expect(numbers(received.filter(({ id }) => id === 2))).toEqual(
    range(lastKline + 1, lastKline + 5),
  )
  expect(numbers(received).slice(-2)).toEqual([lastKline + 6, lastKline + 7])

  // A client that caught up gets pushes as before.
  feed.publish('tx:swap-x', pushOf(-1))
  expect(await slow.next()).toMatchObject({ id: 2, result: { n: -1 } })
})

test('behavior: a reader over the outbox limit gets its resume cursor, then is closed', async () => {
  service = await startWsService({ limits: { outboxBytesMax } })
  const { server } = service
  const slow = await service.connect()
  const good = await service.connect()
  for (const client of [slow, good]) await client.call(rpc('subscribe', ['tx', 'a', 'x'], 5))
  slow.webSocket.pause()
  const isLagged = () => server.stats().laggedCloses === 1
  const lost = await publishUntil({ key: 'tx:a-x', conflateKey: null, isDone: isLagged, good })
  service.feed.publish('tx:a-x', pushOf(lost + 1, { padBytes }))
  expect(numbers(await take(good, 1))).toEqual([lost + 1])

  slow.webSocket.resume()
  expect(numbers(await take(slow, lost - 1))).toEqual(range(1, lost - 1))
  expect(await slow.next()).toEqual({
    jsonrpc: '2.0',
    id: 5,
    result: { status: 'lagged', cursor: `cursor-${lost}` },
  })
  expect(await slow.closed).toEqual({ code: 4001, reason: 'Reader too slow' })
  await until('its subscription is gone', () => server.stats().subscriptions === 1)
})

test('behavior: a long replay waits for its reader, and ends when the reader disconnects', async () => {
  service = await startWsService({ limits: { outboxBytesMax } })
  const sent = { 5: 0, 6: 0 }
  const count = 400
  // Replays far more than the outbox holds, part by part.
  service.feed.onAdd = async (subscriber) => {
    for (let n = 1; n <= count; n++) {
      subscriber.send(pushOf(n, { padBytes }))
      await subscriber.drained?.()
      sent[subscriber.id as 5 | 6] = n
    }
  }
  const slow = await service.connect()
  await slow.call(rpc('subscribe', ['tx', 'a', 'x'], 5))
  slow.webSocket.pause()
  const gone = await service.connect()
  await gone.call(rpc('subscribe', ['tx', 'a', 'x'], 6))
  gone.webSocket.pause()
  let before = -1
  await until('both wait', () => {
    const isStill = sent[5] + sent[6] === before
    before = sent[5] + sent[6]
    return isStill
  })
  gone.webSocket.terminate()
  await until('the replay for nobody ends', () => sent[6] === count)
  slow.webSocket.resume()
  const received = await take(slow, count)
  expect(numbers(received)).toEqual(range(1, count))
  expect(service.server.stats().laggedCloses).toBe(0)
})

test('behavior: a reader that stops reading is disconnected and costs nothing more', async () => {
  service = await startWsService({ limits: { outboxBytesMax, closeMsMax: 50 } })
  const { server } = service
  const slow = await service.connect()
  await slow.call(rpc('subscribe', ['tx', 'a', 'x']))
  slow.webSocket.pause()
  const isLagged = () => server.stats().laggedCloses === 1
  await publishUntil({ key: 'tx:a-x', conflateKey: null, isDone: isLagged })
  await until('it is gone', () => server.stats().sockets === 0)
  expect(server.stats().subscriptions).toBe(0)
})

test('behavior: a client that sends calls and never reads is closed too', async () => {
  service = await startWsService({ limits: { outboxBytesMax, closeMsMax: 50 } })
  const client = await openRawWebSocket(service.port)
  client.socket.pause()
  // The error response echoes the invalid item, so it is as long as the call.
  const call = JSON.stringify(rpc('subscribe', ['price', ['a', '?'.repeat(padBytes)]]))
  const flood = maskedFrame(0x81, call)
  const { server } = service
  await until('it is closed', () => {
    for (let n = 0; n < 20 && client.socket.writable; n++) client.socket.write(flood)
    return server.stats().sockets === 0
  })
  expect(server.stats()).toMatchObject({ laggedCloses: 1, subscriptions: 0 })
})

test.each([0, 1])(
  'behavior: a client that pings and never reads gets a pong to its newest ping only, with %i subscriptions',
  async (subscriptions) => {
    service = await startWsService({ limits: { outboxBytesMax } })
    const { server } = service
    const client = await openRawWebSocket(service.port)
    if (subscriptions > 0) {
      client.send(maskedFrame(0x81, JSON.stringify(rpc('subscribe', ['tx', 'a', 'x']))))
      expect((await client.next())?.bits).toBe(0x81)
    }
    client.socket.pause()
    const isConflating = () => server.stats().pushesConflated >= 1
    if (subscriptions > 0)
      await publishUntil({ key: 'tx:a-x', conflateKey: 'k', isDone: isConflating })
    const pad = '.'.repeat(110)
    let pings = 0
    let calls = subscriptions
    const ping = async (count: number) => {
      const ids = range(pings + 1, pings + count)
      client.send(Buffer.concat(ids.map((id) => maskedFrame(0x89, `${id}${pad}`))))
      pings += count
      // The response to a call after the pings proves that the server has read the pings.
      client.send(maskedFrame(0x81, JSON.stringify(rpc('ping', [], 77))))
      calls += 1
      while (server.stats().messages < calls) await nextTurn()
    }
    // Waits until the kernel takes no more pongs. Later pings are not answered one by one.
    const [peer] = service.peers
    for (let full = 0; full < 2; full = peer!.writableLength > 0 ? full + 1 : 0) await ping(1_000)
    client.socket.resume()
    let pongs = 0
    for (;;) {
      const frame = await client.next()
      if (frame?.bits !== 0x8a) continue
      pongs += 1
      if (frame.payload.toString() === `${pings}${pad}`) break
    }
    expect(pongs).toBeLessThan(pings)
    client.socket.destroy()
  },
)
