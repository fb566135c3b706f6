import { type IncomingHttpHeaders, request as send } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import type { Provider } from './provider.ts'
import { openRpcServer } from './rpcServer.ts'

const mine = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hardhat_mine', params: ['0x186a0'] })
const json = { 'content-type': 'application/json' }

/** The real server, with a record of requests that reach the chain behind it. */
async function openServer(host = '127.0.0.1') {
  const asked: string[] = []
  const request = async (method: string) => {
    asked.push(method)
    return true
  }
  const provider: Provider = { request, listeners: new Set() }
  const server = await openRpcServer({ host, port: 0, provider, request })
  onTestFinished(server.close)
  return { ...server, asked, port: Number(new URL(server.rpcUrl).port) }
}

type Answer = { status: number; headers: IncomingHttpHeaders; text: string }

/** Not fetch, which replaces these headers by its own. */
function ask(port: number, headers: Record<string, string>, method = 'POST'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = send({ host: '127.0.0.1', port, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text }),
      )
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? mine : undefined)
  })
}

function upgrade(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url, { headers })
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    socket.on('open', () => {
      socket.send(mine)
      socket.once('message', () => {
        socket.close()
        resolve(101)
      })
    })
    socket.on('error', reject)
  })
}

test.each([
  ['of a program', { ...json }],
  ['for localhost', { ...json, host: 'localhost:8545' }],
  ['for an address of this machine', { ...json, host: '[::1]:1' }],
  ['through a forwarded port', { ...json, host: '127.0.0.1:9000' }],
  ['with a charset', { 'content-type': 'application/json; charset=utf-8' }],
])('default: a request %s reaches the chain', async (_, headers) => {
  const server = await openServer()
  expect((await ask(server.port, headers)).status).toBe(200)
  expect(await upgrade(server.wsUrl, headers)).toBe(101)
  expect(server.asked).toEqual(['hardhat_mine', 'hardhat_mine'])
})

test.each([
  ['of a page elsewhere', { ...json, origin: 'https://evil.example' }],
  ['of a page on this machine', { ...json, origin: 'http://localhost:3000' }],
  ['of a page without an origin', { ...json, origin: 'null' }],
  ['for a name that leads here', { ...json, host: 'evil.example:8545' }],
  ['for a name that looks like ours', { ...json, host: '127.0.0.1.evil.example' }],
  ['for localhost of somebody', { ...json, host: 'localhost.evil.example' }],
])('error: a request %s is refused and changes nothing', async (_, headers) => {
  const server = await openServer()
  const { status, text, headers: answered } = await ask(server.port, headers)
  expect(status).toBe(403)
  expect(JSON.parse(text).error.message).toMatch(/\((Origin|Host)\)/)
  expect(answered['access-control-allow-origin']).toBeUndefined()
  expect(await upgrade(server.wsUrl, headers)).toBe(403)
  expect(server.asked).toEqual([])
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'text/plain;application/json', ''])(
  'error: a body of type %j is refused',
  async (type) => {
    const server = await openServer()
    const { status, text } = await ask(server.port, type === '' ? {} : { 'content-type': type })
    expect([status, JSON.parse(text).error.code]).toEqual([415, -32_600])
    expect(server.asked).toEqual([])
  },
)

test('error: a preflight gets no permission', async () => {
  const { port } = await openServer()
  const origin = 'https://evil.example'
  const asking = { origin, 'access-control-request-method': 'POST' }
  const { status, headers } = await ask(port, asking, 'OPTIONS')
  expect(status).toBe(403)
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('behavior: who listens on every address is asked by the one that was called', async () => {
  const server = await openServer('0.0.0.0')
  expect((await ask(server.port, { ...json, host: '127.0.0.1' })).status).toBe(200)
  expect((await ask(server.port, { ...json, host: '192.0.2.1' })).status).toBe(403)
})
