// Nodes with answers larger than valid ones: compressed, endless, or short text that is large once
// parsed.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import { createEvmRpc, evmAnswerLimits } from '../evm/rpc/evmRpc.ts'
import { solanaAnswerLimits } from '../solana/solanaRpc.ts'
import { answerLimitOf, blockBytesMax, type RpcCall } from './rpcCall.ts'

const mib = 1_048_576
const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Line = { msg: string; endpoint: string; method: string; bytes?: number; bytesMax: number }

function connect(...urls: string[]) {
  const lines: Line[] = []
  const logger = createLogger('silent')
  logger.warn = ((line: Line) => lines.push(line)) as typeof logger.warn
  const rpc = createEvmRpc({
    endpoints: urls.map((httpUrl) => ({ httpUrl })),
    timeoutMs: 60_000,
    hedgeAfterMs: 60_000,
    batchSizeMax: 10,
    retryDelayMs: 5,
    logger,
  })
  closers.push(rpc.close)
  return { rpc, lines }
}

const methodOf = async (request: IncomingMessage) =>
  (JSON.parse(await text(request)) as { method: string }).method

/** Simulates a node with 16 blocks and no logs; answers the given methods with `body`. */
const nodeWith =
  (body: Buffer, encoding: string, ...methods: string[]): RequestListener =>
  async (request, response) => {
    const method = await methodOf(request)
    if (methods.includes(method))
      response.writeHead(200, { 'content-encoding': encoding }).end(body)
    else {
      const result = method === 'eth_getLogs' ? [] : '0x10'
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }))
    }
  }

const zeros = Buffer.alloc(200 * mib)
const gzipBomb = gzipSync(zeros)

test('default: a gzip bomb instead of a number is refused, and names endpoint, method and limit', async () => {
  const url = await startServer(nodeWith(gzipBomb, 'gzip', 'eth_blockNumber'))
  const { rpc, lines } = connect(url)
  const name = `0:${new URL(url).host}`
  await expect(rpc.request('eth_blockNumber', [])).rejects.toMatchObject({
    code: 'RPC_RESPONSE_TOO_LARGE',
    shortMessage: 'The node did not answer eth_blockNumber: responseTooLarge.',
    meta: [`Endpoint: ${name}`, 'Detail: Limit: 65536 bytes'],
  })
  expect(lines).toEqual([
    {
      msg: 'Refused a large answer',
      endpoint: name,
      method: 'eth_blockNumber',
      bytesMax: 65_536,
      detail: 'Limit: 65536 bytes',
    },
  ])
})

test('behavior: an endless answer is read up to its limit, and its connection is closed', async () => {
  let closed = () => {}
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  const url = await startServer((_, response) => {
    const endless = createGzip()
    const write = () => {
      while (!response.destroyed && endless.write(zeros.subarray(0, mib)));
    }
    endless.on('drain', write).pipe(response.writeHead(200, { 'content-encoding': 'gzip' }))
    response.on('close', () => {
      endless.destroy()
      closed()
    })
    write()
  })
  const { rpc } = connect(url)
  await expect(rpc.request('eth_getCode', ['0x0', 'latest'])).rejects.toMatchObject({
    kind: 'responseTooLarge',
  })
  await isClosed
})

test('behavior: another endpoint answers, and the one at fault is asked last', async () => {
  const bad = await startServer(nodeWith(gzipBomb, 'gzip', 'eth_blockNumber'))
  const good = await startServer(nodeWith(gzipBomb, 'gzip'))
  const { rpc } = connect(bad, good)
  expect(await rpc.request('eth_blockNumber', [])).toBe('0x10')
  expect(rpc.status()).toMatchObject([
    { isHealthy: false, failureCount: 1, faultCount: 1 },
    { isHealthy: true, failureCount: 0 },
  ])
  expect(await rpc.request('eth_blockNumber', [])).toBe('0x10')
  expect(rpc.status()[0]!.requestCount).toBe(1)
})

test('behavior: the log has one line for a method that is refused again and again', async () => {
  const { rpc, lines } = connect(
    await startServer(nodeWith(gzipBomb, 'gzip', 'eth_blockNumber', 'eth_gasPrice')),
  )
  for (const method of ['eth_blockNumber', 'eth_blockNumber', 'eth_gasPrice', 'eth_blockNumber'])
    await rpc.request(method, []).catch(() => undefined)
  expect(lines.map(({ method }) => method)).toEqual(['eth_blockNumber', 'eth_gasPrice'])
})

test('behavior: logs of several blocks may be too many without being the fault of the node', async () => {
  const { rpc } = connect(await startServer(nodeWith(gzipBomb, 'gzip', 'eth_getLogs')))
  const logsOf = (fromBlock: string, toBlock: string) =>
    rpc.request('eth_getLogs', [{ fromBlock, toBlock }])
  await expect(logsOf('0x1', '0x2')).rejects.toMatchObject({ isOfSize: true })
  expect(rpc.status()).toMatchObject([{ failureCount: 1, faultCount: 0 }])
  await expect(logsOf('0x1', '0x1')).rejects.toMatchObject({ isOfSize: true })
  expect(rpc.status()).toMatchObject([{ faultCount: 1 }])
})

test.each([
  ['deflate', deflateSync(zeros)],
  ['br', brotliCompressSync(zeros)],
])('behavior: %s is not asked for and not decompressed', async (encoding, body) => {
  let accepted: unknown
  const url = await startServer((request, response) => {
    accepted = request.headers['accept-encoding']
    response.writeHead(200, { 'content-encoding': encoding }).end(body)
  })
  const { rpc } = connect(url)
  await expect(
    rpc.request('eth_getBlockReceipts', ['0x1'], { roundsMax: 1 }),
  ).rejects.toMatchObject({ code: 'RPC_MALFORMED' })
  expect(accepted).toBe('gzip')
})

test.each(['[],', '{},', '[[0]],'])(
  'behavior: an answer of nothing but %s is refused before it is parsed',
  async (piece) => {
    const body = gzipSync(`{"jsonrpc":"2.0","id":0,"result":[${piece.repeat(10_000_000)}0]}`)
    const { rpc } = connect(await startServer(nodeWith(body, 'gzip', 'eth_getBlockReceipts')))
    await expect(rpc.request('eth_getBlockReceipts', ['0x1'])).rejects.toMatchObject({
      kind: 'responseTooLarge',
      meta: [expect.anything(), 'Detail: Limit: a list or object in 16 characters'],
    })
  },
)

test('behavior: a large honest answer is taken, and the log has its size', async () => {
  const log = { address: `0x${'0'.repeat(40)}`, topics: [], data: '0x', logIndex: '0x1' }
  const logs = JSON.stringify(Array.from({ length: 150_000 }, () => log))
  const body = gzipSync(`{"jsonrpc":"2.0","id":0,"result":${logs}}`)
  const { rpc, lines } = connect(await startServer(nodeWith(body, 'gzip', 'eth_getLogs')))
  const range = { fromBlock: '0x1', toBlock: '0x2' }
  expect(await rpc.request('eth_getLogs', [range])).toHaveLength(150_000)
  const { msg, method, bytes, bytesMax } = lines[0]!
  expect({ msg, method, bytesMax }).toEqual({
    msg: 'Large answer',
    method: 'eth_getLogs',
    bytesMax: 20 * mib,
  })
  expect(bytes).toBe(logs.length + 34)
})

test('behavior: a page of HTML instead of an answer is judged by its status', async () => {
  const { rpc } = connect(
    await startServer((_, response) => response.writeHead(429).end('x'.repeat(mib))),
  )
  await expect(rpc.request('eth_blockNumber', [], { roundsMax: 1 })).rejects.toMatchObject({
    kind: 'rateLimited',
  })
})

const allLimits = { ...evmAnswerLimits, ...solanaAnswerLimits }
const limitOf = (calls: RpcCall[]) => answerLimitOf(allLimits, calls, blockBytesMax)
const range = (blocks: number) => [{ fromBlock: '0x1', toBlock: `0x${blocks.toString(16)}` }]

test.each<[method: string, params: unknown[], bytesMax: number]>([
  ['eth_chainId', [], 65_536],
  ['getSlot', [], 65_536],
  ['an unknown method', [], 65_536],
  ['eth_getBlockByNumber', ['0x1', false], 8 * mib],
  ['eth_getBlockByNumber', ['0x1', true], 128 * mib],
  ['eth_getLogs', [{ blockHash: '0x12' }], 128 * mib],
  ['eth_getLogs', range(1), 128 * mib],
  ['eth_getLogs', range(2), 20 * mib],
  ['eth_getLogs', range(20), 56 * mib],
  ['eth_getLogs', range(2_000), 128 * mib],
  ['getBlock', [1, { transactionDetails: 'none' }], 65_536],
  ['getBlock', [1, { transactionDetails: 'full' }], 128 * mib],
])('args: %s %j may have %i bytes', (method, params, bytesMax) => {
  expect(limitOf([{ method, params }]).bytesMax).toBe(bytesMax)
})

test('args: a batch may have as much as its calls together, up to the total', () => {
  const calls = (method: string, count: number): RpcCall[] =>
    Array.from({ length: count }, () => ({ method, params: ['0x1', true] }))
  expect(limitOf(calls('eth_getBalance', 3)).bytesMax).toBe(3 * 65_536)
  expect(limitOf(calls('eth_getBlockByNumber', 2))).toEqual({
    bytesMax: blockBytesMax,
    isExceedable: false,
  })
  expect(limitOf(calls('eth_getBlockByNumber', 32))).toEqual({
    bytesMax: blockBytesMax,
    isExceedable: true,
  })
})
