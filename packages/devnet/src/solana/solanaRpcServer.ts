// Solana's JSON-RPC over a generated chain: the answers and errors of a node without its work.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { listenError } from '../errors.ts'
import { guardFromPages } from '../node/pageGuard.ts'
import type { GeneratedBlock, GeneratedChain } from './generatedChain.ts'
import {
  accountAnswer,
  type HoldersConfig,
  holdersAnswer,
  ownedAnswer,
} from './rpc/accountAnswers.ts'
import { RpcFault } from './rpc/rpcFault.ts'
import { simulateAnswer } from './rpc/simulateAnswer.ts'
import type { WrittenTransaction } from './rpcShapes.ts'
import { toWire } from './toWire.ts'
import { keyOf } from './transactionBuilder.ts'

export type SolanaRpcOptions = {
  /** @default '127.0.0.1' */
  host?: string | undefined
  /** 0 takes any free port. @default 0 */
  port?: number | undefined
  /** @default that of generated chains in tests */
  genesis?: string | undefined
  /** Blocks between the newest one and the newest final one. @default 8 */
  finalityBlocks?: number | undefined
  /** Number of the first kept block. @default 0 */
  firstAvailable?: number | undefined
}

export type SolanaRpcServer = {
  url: string
  wsUrl: string
  /** Number of requests by method. */
  asked: Map<string, number>
  /** Answers the next `times` calls of a method with an error. */
  refuse(method: string, error: { code: number; message: string }, times: number): void
  /** Notifies subscribers of the newest slot. */
  announce(): void
  stop(): Promise<void>
}

type Params = readonly unknown[]
type Call = { id: unknown; method: string; params?: Params }

const bodyBytesMax = 1_000_000
const noCall: Call = { id: null, method: '' }
type BlockConfig = {
  commitment?: string
  encoding?: string
  transactionDetails?: string
  maxSupportedTransactionVersion?: number
}

export const genesisHash = keyOf('generated genesis')

type ChainView = {
  genesis: string
  chain(): GeneratedChain
  finalized(): GeneratedBlock
  newest(config: { commitment?: string } | undefined): GeneratedBlock
  firstAvailable: number
}

/** A node's answers, by method. */
function methodsOf(view: ChainView): Record<string, (params: Params) => unknown> {
  const { chain, newest, firstAvailable } = view
  return {
    getSlot: ([config]) => newest(config as BlockConfig).slot,
    getBlockHeight: ([config]) => newest(config as BlockConfig).blockHeight,
    getGenesisHash: () => view.genesis,
    getVersion: () => ({ 'solana-core': '3.1.0', 'feature-set': 1 }),
    getFirstAvailableBlock: () => Math.max(firstAvailable, chain().blocks[0]!.slot),
    getBlocks([from, to, config]) {
      const last = newest((typeof to === 'object' ? to : config) as BlockConfig).slot
      const end = Math.min(typeof to === 'number' ? to : last, last)
      return chain()
        .blocks.filter(({ slot }) => slot >= (from as number) && slot <= end)
        .map(({ slot }) => slot)
    },
    getBlock([slot, config]) {
      const asks = (config ?? {}) as BlockConfig
      return blockAnswer(findBlock(view, slot as number, newest(asks).slot), asks)
    },
    getMultipleAccounts([keys]) {
      if ((keys as string[]).length > 100)
        throw new RpcFault(-32_602, 'Too many inputs provided; max 100')
      const value = (keys as string[]).map((key) => accountAnswer(chain(), key))
      return { context: { slot: chain().head.slot }, value }
    },
    getProgramAccounts: ([program, config]) =>
      holdersAnswer(chain(), program as string, (config ?? {}) as HoldersConfig),
    getTokenAccountsByOwner: ([owner, filter]) =>
      ownedAnswer(chain(), owner as string, (filter ?? {}) as { mint?: string }),
    simulateTransaction: ([bytes, config]) =>
      simulateAnswer(chain(), String(bytes), (config ?? {}) as object),
  }
}

function findBlock(
  { chain, finalized, firstAvailable }: ChainView,
  slot: number,
  newestSlot: number,
) {
  if (slot < Math.max(firstAvailable, chain().blocks[0]!.slot))
    throw new RpcFault(-32_001, `Block ${slot} cleaned up, does not exist on node`)
  if (slot > newestSlot) throw new RpcFault(-32_004, `Block not available for slot ${slot}`)
  const found = chain().blocks.find((block) => block.slot === slot)
  if (found !== undefined) return found
  // Nodes report a slot as skipped only once the chain is final beyond it.
  if (slot > finalized().slot) throw new RpcFault(-32_004, `Block not available for slot ${slot}`)
  throw new RpcFault(-32_007, `Slot ${slot} was skipped, or missing due to ledger jump`)
}

export async function startSolanaRpc(
  chain: () => GeneratedChain,
  options: SolanaRpcOptions = {},
): Promise<SolanaRpcServer> {
  const { finalityBlocks = 8, firstAvailable = 0, genesis = genesisHash } = options
  const { host = '127.0.0.1', port = 0 } = options
  const asked = new Map<string, number>()
  const refusals = new Map<string, { error: { code: number; message: string }; times: number }>()
  const subscribers = new Map<WebSocket, number>()
  const finalized = () => chain().blocks.at(-1 - finalityBlocks) ?? chain().blocks[0]!
  const newest = (config: { commitment?: string } | undefined) =>
    (config?.commitment ?? 'finalized') === 'finalized' ? finalized() : chain().head
  const methods = methodsOf({ genesis, chain, finalized, newest, firstAvailable })

  function answer(call: Call): object {
    asked.set(call.method, (asked.get(call.method) ?? 0) + 1)
    const head = { jsonrpc: '2.0', id: call.id }
    try {
      const refusal = refusals.get(call.method)
      if (refusal !== undefined && refusal.times > 0) {
        refusal.times -= 1
        return { ...head, error: refusal.error }
      }
      const method = methods[call.method]
      if (method === undefined) throw new RpcFault(-32_601, 'Method not found')
      return { ...head, result: method(call.params ?? []) }
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error
      return { ...head, error: { code: error.code, message: error.message } }
    }
  }

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    const result = Array.isArray(body) ? body.map(answer) : answer(body ?? noCall)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(result))
  }

  const server = createServer((request, response) => void onRequest(request, response))
  const sockets = listenForSlots(server, subscribers)
  guardFromPages(server, host)
  await listen(server, host, port)
  const name = `${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${name}`,
    wsUrl: `ws://${name}`,
    asked,
    refuse: (method, error, times) => void refusals.set(method, { error, times }),
    announce() {
      const { slot, parentSlot: parent } = chain().head
      for (const [socket, subscription] of subscribers) {
        const result = { slot, parent, root: finalized().slot }
        const params = { result, subscription }
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'slotNotification', params }))
      }
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Null if it is not JSON or too long for a call. */
async function readBody(request: IncomingMessage): Promise<Call | Call[] | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes <= bodyBytesMax) chunks.push(chunk as Buffer)
  }
  try {
    return bytes > bodyBytesMax ? null : (JSON.parse(Buffer.concat(chunks).toString()) as Call)
  } catch {
    return null
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
}

/** slotSubscribe. */
function listenForSlots(server: Server, subscribers: Map<WebSocket, number>): WebSocketServer {
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('close', () => subscribers.delete(socket))
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data))
      if (method !== 'slotSubscribe') return
      subscribers.set(socket, subscribers.size + 1)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: subscribers.get(socket) }))
    })
  })
  return sockets
}

function blockAnswer(block: GeneratedBlock, config: BlockConfig): object {
  const { slot: _, transactions, ...head } = block
  if (config.transactionDetails === 'none') return head
  const versionMax = config.maxSupportedTransactionVersion ?? -1
  for (const { version } of transactions)
    if (typeof version === 'number' && version > versionMax)
      throw new RpcFault(
        -32_015,
        `Transaction version (${version}) is not supported by the requesting client.`,
      )
  const encoded = (transaction: WrittenTransaction) =>
    config.encoding === 'base64'
      ? { ...transaction, transaction: toWire(transaction) }
      : transaction
  return { ...head, transactions: transactions.map(encoded) }
}
