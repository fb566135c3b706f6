import { type IncomingMessage, request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { startWsService, type WsService } from '../../../../../test/support/wsService.ts'
import { apiKeyOfUpgrade, isWebSocketPath } from './upgrade.ts'

function requestOf(url: string, headers: Record<string, string> = {}): IncomingMessage {
  return { url, headers, socket: { remoteAddress: '10.0.0.1' } } as unknown as IncomingMessage
}

test.each([
  ['/', true],
  ['/ws', true],
  ['/?api_key=k', true],
  ['/ws?', true],
  ['/ws/', false],
  ['//', false],
  ['/WS', false],
  ['/v2/tokens', false],
  ['', false],
])('args: whether path %s accepts WebSockets', (url, isServed) => {
  expect(isWebSocketPath(url)).toBe(isServed)
})

test.each([
  ['/', {}, undefined],
  ['/?api_key=a', {}, 'a'],
  ['/?x=1&api_key=a%20b', {}, 'a b'],
  ['/?api_key=%zz', {}, '%zz'],
  ['/?X-API-KEY=a', {}, undefined],
  ['/?api_key=a', { 'x-api-key': 'b' }, 'b'],
  ['/?api_key=a', { 'x-api-key': '' }, ''],
])('args: the API key of path %s with headers %o', (url, headers, key) => {
  expect(apiKeyOfUpgrade(requestOf(url, headers))).toBe(key)
})

let service: WsService | undefined

afterEach(async () => {
  await service?.stop()
  service = undefined
})

test.each([
  ['GET', ''],
  ['POST', '{"token_ids":["a"]}'],
  ['POST', 'x'.repeat(200_000)],
])('behavior: a %s that offers HTTP/2 is answered as usual', async (method, body) => {
  service = await startWsService()
  const { port } = service
  for (let round = 0; round < 2; round++) {
    const answer = await new Promise<string>((resolve, reject) => {
      const outgoing = request({
        port,
        host: '127.0.0.1',
        path: '/v2/tokens?keyword=a',
        method,
        headers: {
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAMAAABkAAQAAP__',
          'x-api-key': 'k',
          'content-length': Buffer.byteLength(body),
        },
      })
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () => resolve(`${response.statusCode} ${text}`))
      })
      outgoing.end(body)
    })
    expect(answer).toBe(`200 ${method} /v2/tokens?keyword=a k ${body.length}`)
  }
})
