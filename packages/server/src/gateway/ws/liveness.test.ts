import { afterEach, expect, test } from 'vitest'
import { openRawWebSocket } from '../../../../../test/support/rawWebSocket.ts'
import { until } from '../../../../../test/support/until.ts'
import { rpc, startWsService, type WsService } from '../../../../../test/support/wsService.ts'

let service: WsService

afterEach(() => service.stop())

test('behavior: a silent client is pinged, and disconnected if it does not answer', async () => {
  service = await startWsService({ limits: { pingMs: 40, pongMsMax: 100 } })
  const client = await openRawWebSocket(service.port)
  expect((await client.next())?.bits).toBe(0x89)
  expect(await client.next()).toBeNull()
  await until('it is forgotten', () => service.server.stats().sockets === 0)
})

test('behavior: a silent client that answers pings stays connected', async () => {
  service = await startWsService({ limits: { pingMs: 20, pongMsMax: 60_000 } })
  const client = await service.connect()
  let pings = 0
  client.webSocket.on('ping', () => {
    pings += 1
  })
  await until('it was pinged a few times', () => pings >= 3)
  expect(await client.call(rpc('ping'))).toMatchObject({ result: 'pong' })
})
