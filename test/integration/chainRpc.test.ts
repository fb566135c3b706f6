import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { encodeFunctionData, erc20Abi, padHex } from 'viem'
import { afterEach, expect, test, vi } from 'vitest'
import { createMulticall } from '../../packages/server/src/chain/evm/calls/multicall.ts'
import {
  createEvmRpc,
  type EvmRpc,
  type EvmRpcOptions,
} from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import type { RpcMetric } from '../../packages/server/src/chain/rpc/rpcCall.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { type ChainNode, deployMulticall, startChainNode } from '../support/chainNode.ts'
import { noChaos, startChaosRpc } from '../support/chaosRpc.ts'

let closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.reverse()) await close()
  closers = []
})

async function startNode(): Promise<ChainNode> {
  const node = await startChainNode()
  closers.push(node.close)
  return node
}

/** An HTTP server with this listener, for misbehavior that a real node does not show on demand. */
async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function connect(urls: readonly string[], options: Partial<EvmRpcOptions> = {}): EvmRpc {
  const rpc = createEvmRpc({
    endpoints: urls.map((httpUrl) => ({ httpUrl })),
    // Longer than any test; tests about a timeout set their own.
    timeoutMs: 3_600_000,
    hedgeAfterMs: 3_600_000,
    batchSizeMax: 10,
    retryDelayMs: 5,
    logger: createLogger('silent'),
    ...options,
  })
  closers.push(rpc.close)
  return rpc
}

const answer =
  (result: unknown): RequestListener =>
  (_, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }))

const silence: RequestListener = () => undefined

test('default: a real node answers single calls and batches', async () => {
  const node = await startNode()
  await node.mine(30, () => 1)
  const rpc = connect([node.rpcUrl])
  expect(await rpc.request('eth_blockNumber', [])).toBe('0x1f')
  const calls = Array.from({ length: 32 }, (_, number) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${number.toString(16)}`, false],
  }))
  const results = await rpc.requestBatch(calls)
  const numbers = results.map((result) => result.ok && (result.value as { number: string }).number)
  expect(numbers).toEqual(calls.map(({ params }) => params[0]))
})

test('behavior: answers in another order are matched to their calls', async () => {
  const node = await startNode()
  await node.mine(5, () => 0)
  // The proxy returns every batch in reverse order.
  const proxy = await startChaosRpc({ targetUrl: node.rpcUrl, seed: 's', rates: noChaos })
  closers.push(proxy.close)
  const calls = [3, 1, 2].map((number) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${number}`, false],
  }))
  const results = await connect([proxy.url]).requestBatch(calls)
  expect(results.map((result) => result.ok && (result.value as { number: string }).number)).toEqual(
    ['0x3', '0x1', '0x2'],
  )
})

test('behavior: one invalid call does not spoil its batch', async () => {
  const node = await startNode()
  const rpc = connect([node.rpcUrl])
  const results = await rpc.requestBatch([
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_noSuchMethod', params: [] },
    { method: 'eth_chainId', params: [] },
  ])
  expect(results.map((result) => (result.ok ? 'ok' : result.error.kind))).toEqual([
    'ok',
    'unknownMethod',
    'ok',
  ])
  expect(rpc.supports('eth_noSuchMethod')).toBe(false)
})

test('behavior: a slow endpoint is overtaken by a hedged request', async () => {
  const slow = await startServer(silence)
  const quick = await startServer(answer('0x7'))
  const metrics: RpcMetric[] = []
  const rpc = connect([slow, quick], {
    hedgeAfterMs: 5,
    onMetric: (metric) => metrics.push(metric),
  })
  expect(await rpc.request('eth_blockNumber', [])).toBe('0x7')
  expect(metrics.filter(({ type }) => type === 'hedge')).toHaveLength(1)
})

test('behavior: a missing result is confirmed by another endpoint', async () => {
  const behind = await startServer(answer(null))
  const ahead = await startServer(answer({ number: '0x1' }))
  const rpc = connect([behind, ahead])
  expect(await rpc.request('eth_getBlockByHash', [], { isNullMiss: true })).toEqual({
    number: '0x1',
  })
  expect(await rpc.request('eth_getBlockByHash', [])).toBeNull()
  expect(await connect([behind]).request('eth_getBlockByHash', [], { isNullMiss: true })).toBeNull()
})

test('behavior: endpoints that lie or are avoided are asked last', async () => {
  const [first, second] = [await startServer(answer('a')), await startServer(answer('b'))]
  const rpc = connect([first, second])
  expect(await rpc.request('eth_chainId', [])).toBe('a')
  expect(await rpc.request('eth_chainId', [], { avoid: [0] })).toBe('b')
  rpc.penalise(0, 'test')
  expect(await rpc.request('eth_chainId', [])).toBe('b')
  expect(rpc.status().map(({ isHealthy, faultCount }) => [isHealthy, faultCount])).toEqual([
    [false, 1],
    [true, 0],
  ])
})

test('behavior: retries after a rate limit', async () => {
  let requests = 0
  const url = await startServer((request, response) => {
    requests += 1
    if (requests === 1) response.writeHead(429, { 'retry-after': '0.01' }).end()
    else answer('0x1')(request, response as never)
  })
  const rpc = connect([url])
  expect(await rpc.request('eth_chainId', [])).toBe('0x1')
  expect(rpc.status()[0]).toMatchObject({ rateLimitedCount: 1, requestCount: 2 })
})

test('args: requestsPerSecondMax spreads over endpoints', async () => {
  // Fakes the clock, so that the rate limit allows no further requests meanwhile.
  vi.useFakeTimers({ toFake: ['Date'] })
  closers.push(() => vi.useRealTimers())
  const seen = [0, 0]
  const count = (at: number): RequestListener => {
    return (request, response) => {
      seen[at]! += 1
      answer(at)(request, response as never)
    }
  }
  const urls = [await startServer(count(0)), await startServer(count(1))]
  const endpoints = urls.map((httpUrl) => ({ httpUrl, requestsPerSecondMax: 4 }))
  const rpc = connect([], { endpoints })
  await Promise.all(Array.from({ length: 8 }, () => rpc.request('eth_chainId', [])))
  expect(seen).toEqual([4, 4])
})

test('behavior: compressed answers', async () => {
  const body = gzipSync(JSON.stringify({ id: 0, result: 'x'.repeat(100_000) }))
  const url = await startServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
  })
  expect(await connect([url]).request('eth_call', [])).toHaveLength(100_000)
  const rpc = connect([url], { responseBytesMax: 50_000 })
  await expect(rpc.request('eth_call', [])).rejects.toMatchObject({
    code: 'RPC_RESPONSE_TOO_LARGE',
  })
})

test.each(['0xff', 'Ünïcode 価格 🪙'])(
  'behavior: the text %s arrives as it was written',
  async (text) => {
    const url = await startServer(answer(text))
    expect(await connect([url]).request('eth_call', [])).toBe(text)
  },
)

test.each([
  ['nobody listens', undefined, 'RPC_UNREACHABLE'],
  ['hangs up', ((_, response) => response.destroy()) as RequestListener, 'RPC_UNREACHABLE'],
  [
    'hangs up in the middle',
    ((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{')
      setImmediate(() => response.destroy())
    }) as RequestListener,
    'RPC_UNREACHABLE',
  ],
  ['never answers', silence, 'RPC_TIMEOUT'],
  ['answers HTML', ((_, response) => response.end('<html>')) as RequestListener, 'RPC_MALFORMED'],
  ['forbids', ((_, response) => response.writeHead(403).end()) as RequestListener, 'RPC_FORBIDDEN'],
])('error: %s', async (_, listener, code) => {
  const url = listener === undefined ? 'http://127.0.0.1:1' : await startServer(listener)
  // The server that never answers needs a short timeout; the others answer at once.
  const rpc = connect([url], { timeoutMs: listener === silence ? 50 : 3_600_000 })
  await expect(rpc.request('eth_chainId', [], { roundsMax: 2 })).rejects.toMatchObject({ code })
})

test('error: aborted by the caller, and by close', async () => {
  const rpc = connect([await startServer(silence)])
  const stop = new AbortController()
  const asked = rpc.request('eth_chainId', [], { signal: stop.signal })
  const other = rpc.request('eth_chainId', [])
  stop.abort()
  await expect(asked).rejects.toMatchObject({ code: 'RPC_ABORTED' })
  rpc.close()
  await expect(other).rejects.toMatchObject({ code: 'RPC_ABORTED' })
})

test('behavior: multicall in chunks, with reverts, at a block and without the contract', async () => {
  const node = await startNode()
  const address = await deployMulticall(node)
  await node.mine(3, () => 3)
  const rpc = connect([node.rpcUrl])
  const accounts = (await node.request('eth_accounts')) as `0x${string}`[]
  const balances = accounts.map((account) => ({
    to: node.token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] }),
  }))
  // Sends more than any account owns.
  const drain = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [accounts[0]!, 2n ** 200n],
  })
  const calls = [
    ...balances,
    { to: node.token, data: drain },
    { to: padHex('0x9999', { size: 20 }), data: '0x' },
  ]
  const alone = await Promise.all(
    balances.map((call) => node.request('eth_call', [call, 'latest']) as Promise<string>),
  )
  const expected = [
    ...alone.map((data) => ({ ok: true, data })),
    { ok: false },
    { ok: true, data: '0x' },
  ]
  const number = await node.headNumber()
  const { hash } = (await node.readAll(number))[0]!.ref
  const multicall = createMulticall({ rpc, address })
  expect(await multicall.call(calls, 'latest')).toEqual(expected)
  expect(
    await multicall.call(calls, { hash, number }, { chunk: 2, gasPerCallMax: 100_000 }),
  ).toEqual(expected)
  const absent = createMulticall({ rpc, address: padHex('0x1234', { size: 20 }) })
  expect(await absent.call(calls, { number })).toEqual(expected)
  await node.mine(3, () => 3)
  expect(await multicall.call(calls, { hash })).toEqual(expected)
  expect(await multicall.call([], 'latest')).toEqual([])
})
