import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWsService, type WsService } from '../../../../test/support/wsService.ts'
import { listen, subscribeParams } from './listen.ts'

let service: WsService
beforeAll(async () => {
  service = await startWsService()
})
afterAll(() => service.stop())

const address = () => `http://127.0.0.1:${service.port}`

test('default: passes on the subscription answer first, and resolves on stop', async () => {
  const stop = new AbortController()
  const messages: string[] = []
  await listen({
    url: address(),
    apiKey: 'key',
    topic: 'tx',
    words: ['0xab-eth'],
    signal: stop.signal,
    onMessage(text) {
      messages.push(text)
      stop.abort()
    },
  })
  expect(JSON.parse(messages[0]!)).toMatchObject({ id: 1, result: { status: 'ok' } })
})

test('error: rejects an invalid key and an unknown topic', async () => {
  const { signal } = new AbortController()
  const options = { url: address(), topic: 'tx', words: ['0xab-eth'], signal, onMessage: () => {} }
  await expect(listen({ ...options, apiKey: 'wrong' })).rejects.toMatchObject({
    code: 'LISTEN_REFUSED',
    meta: ['Reason: Unauthorized'],
  })
  await expect(listen({ ...options, apiKey: 'key', topic: 'nothing' })).rejects.toMatchObject({
    code: 'LISTEN_REFUSED',
  })
})

test('error: rejects if nothing listens at the address', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const { signal } = new AbortController()
  const url = `http://127.0.0.1:${port}/`
  const given = { url, apiKey: 'key', topic: 'tx', words: ['0xab-eth'], signal }
  await expect(listen({ ...given, onMessage: () => {} })).rejects.toMatchObject({
    code: 'LISTEN_LOST',
    meta: [`Address: ws://127.0.0.1:${port}/ws`, expect.stringContaining('ECONNREFUSED')],
  })
})

test('behavior: splits an id into address and chain', () => {
  expect(subscribeParams('tx', ['0xab-local'])).toEqual(['tx', '0xab', 'local'])
  expect(subscribeParams('kline', ['0xab-local', 'k1'])).toEqual(['kline', '0xab', 'k1', 'local'])
  expect(subscribeParams('tx', ['0xab', 'eth'])).toEqual(['tx', '0xab', 'eth'])
  expect(subscribeParams('tx', ['0xab-eth', 'eth'])).toEqual(['tx', '0xab', 'eth'])
  expect(subscribeParams('new_pairs', ['eth'])).toEqual(['new_pairs', 'eth'])
})
