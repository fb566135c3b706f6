// Which calls are retried.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pollOptions } from '../../../../test/support/until.ts'
import { LimitError, NetworkError, ServiceError } from '../errors.ts'
import { createSend, type RestOptions } from './send.ts'

type Step = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut' | 'silent'

let server: Server
let steps: Step[] = []
let askedCount = 0

beforeEach(async () => {
  askedCount = 0
  server = createServer((request, response) => {
    askedCount += 1
    request
      .resume()
      .on('end', () => answer(steps.shift() ?? { status: 200, body: 'done' }, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function answer(step: Step, response: ServerResponse): void {
  if (step === 'silent') return
  if (step === 'cut') return void response.socket?.destroy()
  const { status, headers = {}, body } = step
  response.writeHead(status, headers).end(typeof body === 'string' ? JSON.stringify(body) : '')
}

const send = (options: RestOptions = {}) =>
  createSend({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...options })
const get = { method: 'GET', path: '/' } as const
const post = { method: 'POST', path: '/', body: {} } as const
const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe('retries', () => {
  test('default: a GET is tried again when the line is cut or the service fails', async () => {
    steps = ['cut', { status: 502 }, { status: 500 }]
    expect(await send()(get)).toBe('done')
    expect(askedCount).toBe(4)
  })

  test('behavior: a POST only when it was not taken at all', async () => {
    steps = [{ status: 503 }, { status: 429, headers: { 'retry-after': '0' } }]
    expect(await send()(post)).toBe('done')
    steps = ['cut']
    const error = await failure(send()(post))
    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({ code: 'network', status: 0 })
    expect(askedCount).toBe(4)
  })

  test('behavior: it is over after so many, with the last failure', async () => {
    steps = Array.from({ length: 9 }, () => ({ status: 503 }))
    const error = await failure(send({ retries: 1 })(get))
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ code: 'unavailable', status: 503 })
    expect(askedCount).toBe(2)
  })

  test('behavior: nobody waits for the end of a month, nor for a limit that stays', async () => {
    steps = [{ status: 429, headers: { 'retry-after': '2000000' } }]
    const late = await failure(send()(get))
    expect(late).toBeInstanceOf(LimitError)
    expect(late).toMatchObject({ retryAfterS: 2_000_000 })
    steps = [{ status: 429 }]
    expect(await failure(send()(get))).toBeInstanceOf(LimitError)
    expect(askedCount).toBe(2)
  })
})

describe('time', () => {
  test('default: what takes too long fails by name, and is tried again', async () => {
    steps = ['silent', 'silent']
    // Counted at sending: on a slow machine a request may be aborted before it arrives.
    let sentCount = 0
    const counted: typeof fetch = (...given) => {
      sentCount += 1
      return fetch(...given)
    }
    const error = await failure(send({ timeoutMs: 50, fetch: counted })(get, { retries: 1 }))
    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({ code: 'timeout' })
    expect(sentCount).toBe(2)
  })

  test('behavior: a signal ends a call while it waits for an answer, and while it pauses', async () => {
    steps = ['silent', { status: 429, headers: { 'retry-after': '20' } }]
    for (const asked of [1, 2]) {
      const controller = new AbortController()
      const ended = failure(send()(get, { signal: controller.signal }))
      await expect.poll(() => askedCount, pollOptions).toBe(asked)
      controller.abort(new Error('enough'))
      expect(await ended).toMatchObject({ message: 'enough' })
    }
    expect(askedCount).toBe(2)
  })
})

test('behavior: an answer that is no JSON is told as such', async () => {
  steps = [{ status: 200 }]
  expect(await failure(send()(post))).toMatchObject({ code: 'bad_answer', status: 200 })
})
