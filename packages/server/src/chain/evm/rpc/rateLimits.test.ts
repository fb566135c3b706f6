import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import type { HttpPost, HttpPostOptions } from '../../rpc/httpPost.ts'
import type { EndpointRates } from '../../rpc/rateLimit.ts'
import type { RpcMetric } from '../../rpc/rpcCall.ts'
import { createEvmRpc } from './evmRpc.ts'

// Simulates nodes with a fixed answer time on a manual clock.
const node = { answerMs: 10, sent: new Map<string, number>() }

const createHttp = ({ source: { name } }: HttpPostOptions): HttpPost => ({
  async post(body) {
    const calls: unknown = JSON.parse(body)
    const list = (Array.isArray(calls) ? calls : [calls]) as { id: number }[]
    node.sent.set(name, (node.sent.get(name) ?? 0) + list.length)
    await new Promise((resolve) => setTimeout(resolve, node.answerMs))
    const answers = list.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))
    const text = JSON.stringify(Array.isArray(calls) ? answers : answers[0])
    return { status: 200, retryAfterMs: undefined, text }
  },
  close: () => undefined,
})

beforeEach(() => {
  vi.useFakeTimers()
  node.answerMs = 10
  node.sent.clear()
})
afterEach(() => void vi.useRealTimers())

function connect(
  endpointCount: number,
  rateCounts: 'calls' | 'requests' = 'calls',
  rates?: EndpointRates,
) {
  const metrics: RpcMetric[] = []
  const rpc = createEvmRpc({
    endpoints: Array.from({ length: endpointCount }, (_, at) => ({
      httpUrl: `http://node${at}`,
      requestsPerSecondMax: 50,
      rateCounts,
    })),
    timeoutMs: 10_000,
    hedgeAfterMs: 100,
    batchSizeMax: 20,
    createHttp,
    rates,
    logger: createLogger('silent'),
    onMetric: (metric) => metrics.push(metric),
  })
  const hedgeCount = () => metrics.filter(({ type }) => type === 'hedge').length
  return { rpc, hedgeCount }
}

/** Returns how long work takes on the manual clock, rounded up to 10 ms. */
async function timed(work: Promise<unknown>): Promise<number> {
  const startedAtMs = Date.now()
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  while (!isDone) await vi.advanceTimersByTimeAsync(10)
  return Date.now() - startedAtMs
}

const call = { method: 'eth_chainId', params: [] }

test('default: many calls use the tokens of all endpoints, each once', async () => {
  const { rpc, hedgeCount } = connect(2)
  const calls = Array.from({ length: 500 }, () => rpc.request('eth_chainId', []))
  const takenMs = await timed(Promise.all(calls))
  expect(Object.fromEntries(node.sent)).toEqual({ '0:node0': 250, '1:node1': 250 })
  expect(hedgeCount()).toBe(0)
  // Each endpoint starts with a second's tokens; the other 400 calls run at 100 per second.
  expect(takenMs).toBeGreaterThanOrEqual(4_000)
  expect(takenMs).toBeLessThanOrEqual(4_050)
})

test('behavior: batches too, and to the endpoint that has enough for them', async () => {
  const { rpc, hedgeCount } = connect(2)
  // Uses 40 of the first endpoint's 50 tokens.
  await timed(rpc.requestBatch(Array(40).fill(call)))
  node.sent.clear()
  await timed(rpc.requestBatch(Array(20).fill(call)))
  expect(Object.fromEntries(node.sent)).toEqual({ '1:node1': 20 })
  await timed(rpc.requestBatch(Array(500).fill(call)))
  expect([...node.sent.values()].reduce((sum, sent) => sum + sent)).toBe(520)
  expect(hedgeCount()).toBe(0)
})

test('behavior: what is withdrawn before it was sent costs nothing', async () => {
  const { rpc } = connect(1)
  await timed(Promise.all(Array.from({ length: 50 }, () => rpc.request('eth_chainId', []))))
  const stopping = new AbortController()
  const { signal } = stopping
  const unwanted = Array.from({ length: 500 }, () => rpc.request('eth_chainId', [], { signal }))
  const ended = Promise.allSettled(unwanted)
  stopping.abort()
  await ended
  expect(await timed(rpc.request('eth_chainId', []))).toBeLessThanOrEqual(40)
  expect(node.sent.get('0:node0')).toBe(51)
})

test('behavior: a node that is slow after the wait is still overtaken', async () => {
  const { rpc, hedgeCount } = connect(2)
  node.answerMs = 1_000
  await timed(rpc.request('eth_chainId', []))
  expect(hedgeCount()).toBe(1)
})

test('behavior: who has no hurry goes last, but goes', async () => {
  const { rpc } = connect(1)
  const order: string[] = []
  const ask = (name: string, isBackground: boolean) =>
    rpc.request('eth_chainId', [], { isBackground }).then(
      () => order.push(name),
      () => 0,
    )
  const first = Array.from({ length: 100 }, () => ask('early', false))
  const background = ask('background', true)
  await vi.advanceTimersByTimeAsync(500)
  const later = Array.from({ length: 50 }, () => ask('late', false))
  await timed(Promise.all([...first, background, ...later]))
  expect(order.at(-1)).toBe('background')
  // Constant foreground requests do not block background work forever.
  const busy = setInterval(() => void ask('busy', false), 20)
  for (let i = 0; i < 100; i += 1) void ask('busy', false)
  order.length = 0
  void ask('background', true)
  await vi.advanceTimersByTimeAsync(20_000)
  clearInterval(busy)
  expect(order).toContain('background')
  rpc.close()
})

test.each([
  ['calls', 10_000],
  ['requests', 0],
] as const)('args: rateCounts, %s', async (rateCounts, leastMs) => {
  const { rpc } = connect(1, rateCounts)
  // 550 calls are 28 batches of 20, within the 50 saved requests; counted as calls, 500 exceed the
  // saved tokens.
  const takenMs = await timed(rpc.requestBatch(Array(550).fill(call)))
  expect(takenMs).toBeGreaterThanOrEqual(leastMs)
  expect(takenMs).toBeLessThanOrEqual(leastMs + 500)
  expect(node.sent.get('0:node0')).toBe(550)
})

test('args: rates, of two that share them', async () => {
  const timesOf = async (rates?: EndpointRates) => {
    const [callers, audits] = [connect(1, 'calls', rates).rpc, connect(1, 'calls', rates).rpc]
    const calls = Array.from({ length: 40 }, () => call)
    return await timed(Promise.all([callers.requestBatch(calls), audits.requestBatch(calls)]))
  }
  expect(await timesOf()).toBeLessThan(100)
  // 80 calls, of which 50 need no wait.
  expect(await timesOf(new Map())).toBeGreaterThanOrEqual(600)
})
