// A node of a busy chain in a separate process: mines blocks on request, announces them and answers
// requests. Blocks are created in advance, so that a measurement has the CPU to itself.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  multicall3Abi,
  pad,
  toFunctionSelector,
  toHex,
} from 'viem'
import { type WebSocket, WebSocketServer } from 'ws'
import { createBloomIndex } from '../../packages/server/src/chain/evm/verify/bloom.ts'
import { syntheticHeader, zeros } from '../syntheticHeader.ts'
import { blockHashOf, createBusyChain, factory } from './busyChain.ts'

export type TipOrder = { swaps: number; logs: number }
/** `prepare` creates blocks, `mine` publishes the next of them. */
export type TipRequest = { type: 'prepare'; count: number; order: TipOrder } | { type: 'mine' }
export type TipMessage =
  | { type: 'ready'; httpUrl: string; wsUrl: string }
  | { type: 'prepared' }
  | { type: 'mined'; number: number; swapCount: number; cpuMs: number; asked: RequestCounts }

/** HTTP requests received so far, and the JSON-RPC calls in them; providers count both. */
export type RequestCounts = { requests: number; calls: number }

type Call = { id: number; method: string; params: [] }
type Query = {
  blockHash?: string
  fromBlock?: string
  toBlock?: string
  address?: string | string[]
  topics?: (string | string[] | null)[]
}

const chain = createBusyChain(Number(process.argv[2]))
const startS = Math.floor(Date.now() / 1_000)
type Logged = { address: string; topics: string[] }
type Block = { header: object; transactions: object[]; logs: Logged[] }
type Prepared = {
  parts: Parameters<typeof syntheticHeader>[0]
  rest: Omit<Block, 'header'>
  swapCount: number
}
const prepared: Prepared[] = []
const blocks: Block[] = []
const sockets = new Set<WebSocket>()
const asked: RequestCounts = { requests: 0, calls: 0 }

const bloomIndex = createBloomIndex()

function bloomOf(logs: readonly Logged[]): string {
  let bits = 0n
  const items = new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))
  for (const item of items) for (const bit of bloomIndex.bitsOf(item)) bits |= 1n << BigInt(bit)
  return pad(toHex(bits), { size: 256 })
}

function prepare({ swaps, logs: logCount }: TipOrder): void {
  const { number, hash, logs, transactions } = chain.next(swaps, logCount)
  const place = { blockNumber: toHex(number), blockHash: hash }
  const parentHash = number === 0 ? zeros(32) : blockHashOf(number - 1)
  prepared.push({
    parts: { number, hash, parentHash, timeS: startS, logsBloom: bloomOf(logs) },
    rest: {
      transactions: transactions.map((transaction) => ({ ...transaction, ...place })),
      logs: logs.map((log, at) => ({
        ...log,
        ...place,
        logIndex: toHex(at),
        removed: false,
        transactionHash: (transactions[Number(log.transactionIndex)] as { hash: string }).hash,
      })),
    },
    swapCount: chain.swapCount(),
  })
}

function mine(): void {
  const { parts, rest, swapCount } = prepared.shift()!
  // A block's time is never ahead of the clock. Early blocks have times derived from their numbers.
  const timeS = parts.number === 0 ? startS : Math.floor(Date.now() / 1_000)
  const header = syntheticHeader({ ...parts, timeS })
  blocks.push({ header, ...rest })
  const params = { subscription: '0x1', result: header }
  const news = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })
  for (const socket of sockets) socket.send(news)
  const { user, system } = process.cpuUsage()
  const cpuMs = (user + system) / 1_000
  tell({ type: 'mined', number: parts.number, swapCount, cpuMs, asked: { ...asked } })
}

const selectorOf = (signature: string) => toFunctionSelector(`function ${signature}`)
const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])
const word = (value: bigint) => pad(toHex(value), { size: 32 })
const poolOf = new Map(chain.pools.map((pool) => [pool.address, pool]))
const views: Record<string, (target: string) => string | null> = {
  [selectorOf('symbol()')]: (target) => text(`T${target.slice(-4)}`),
  [selectorOf('name()')]: (target) => text(`Token ${target.slice(-4)}`),
  [selectorOf('decimals()')]: () => word(18n),
  [selectorOf('totalSupply()')]: () => word(10n ** 27n),
  [selectorOf('balanceOf(address)')]: () => word(10n ** 24n),
  [selectorOf('getEthBalance(address)')]: () => word(10n ** 18n),
  [selectorOf('factory()')]: () => pad(factory, { size: 32 }),
  [selectorOf('token0()')]: (target) => sideOf(target, 'token0'),
  [selectorOf('token1()')]: (target) => sideOf(target, 'token1'),
}

function sideOf(target: string, side: 'token0' | 'token1'): string | null {
  const pool = poolOf.get(target)
  return pool === undefined ? null : pad(pool[side] as `0x${string}`, { size: 32 })
}

const view = (target: string, data: string) =>
  views[data.slice(0, 10)]?.(target.toLowerCase()) ?? null

function call({ to, data }: { to: string; data: `0x${string}` }): string {
  const alone = view(to, data)
  if (alone !== null) return alone
  const { args } = decodeFunctionData({ abi: multicall3Abi, data })
  const results = (args![0] as readonly { target: string; callData: string }[]).map((inner) => {
    const answer = view(inner.target, inner.callData)
    return { success: answer !== null, returnData: (answer ?? '0x') as `0x${string}` }
  })
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results })
}

const numberOf = (word: string) =>
  word.startsWith('0x') ? Number(word) : word === 'earliest' ? 0 : blocks.length - 1

function logsOf({ blockHash, fromBlock, toBlock, address, topics = [] }: Query): object[] {
  const found =
    blockHash === undefined
      ? blocks.slice(numberOf(fromBlock ?? '0x0'), numberOf(toBlock ?? 'latest') + 1)
      : blocks.filter(({ header }) => (header as { hash: string }).hash === blockHash)
  const addresses = address === undefined ? null : new Set([address].flat())
  const wanted = topics.map((topic) => (topic === null ? null : new Set([topic].flat())))
  return found.flatMap(({ logs }) =>
    logs.filter(
      (log) =>
        addresses?.has(log.address) !== false &&
        wanted.every((set, at) => set?.has(log.topics[at]!) !== false),
    ),
  )
}

function blockOf(at: number, isWhole: boolean): object | null {
  const block = blocks[at]
  if (block === undefined) return null
  const { header, transactions } = block
  const listed = isWhole ? transactions : transactions.map((of) => (of as { hash: string }).hash)
  return { ...header, uncles: [], size: '0x1', transactions: listed }
}

const methods: Record<string, (...params: never[]) => unknown> = {
  eth_chainId: () => '0x7e57',
  net_version: () => '32343',
  web3_clientVersion: () => 'busy/1',
  eth_blockNumber: () => toHex(blocks.length - 1),
  eth_getBlockByNumber: (word: string, isWhole: boolean) => blockOf(numberOf(word), isWhole),
  eth_getBlockByHash: (hash: string, isWhole: boolean) =>
    blockOf(
      blocks.findLastIndex(({ header }) => (header as { hash: string }).hash === hash),
      isWhole,
    ),
  eth_getLogs: logsOf,
  eth_call: call,
  eth_getCode: () => '0x60',
  eth_getBalance: () => '0xde0b6b3a7640000',
  eth_getTransactionCount: () => '0x1',
  eth_subscribe: () => '0x1',
}

function answer({ id, method, params }: Call): object {
  const perform = methods[method]
  if (perform === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method} here` } }
  return { jsonrpc: '2.0', id, result: perform(...params) }
}

const answerAll = (body: Call | Call[]) =>
  JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body))

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
  asked.requests += 1
  asked.calls += Array.isArray(body) ? body.length : 1
  response.setHeader('content-type', 'application/json')
  response.end(answerAll(body))
})
const listener = new WebSocketServer({ server })
listener.on('connection', (socket) => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.on('message', (data) => socket.send(answerAll(JSON.parse(String(data)))))
})
const tell = (message: TipMessage) => process.send?.(message)
process.on('message', (request: TipRequest) => {
  if (request.type === 'mine') return mine()
  for (let at = 0; at < request.count; at += 1) prepare(request.order)
  tell({ type: 'prepared' })
})
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  tell({ type: 'ready', httpUrl: `http://${host}`, wsUrl: `ws://${host}` })
})
