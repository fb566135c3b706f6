// Common parts of proxies in front of a real node: receiving calls, forwarding them, and the errors
// of a node with little state.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RpcCall = { id: unknown; method: string; params: unknown[] }
export type RpcFailure = { code: number; message: string; data?: unknown }
export type RpcReply = { id?: unknown; result?: unknown; error?: RpcFailure }
export type RawBlock = { number: string; parentHash: string }

export type RpcProxy = {
  url: string
  /** Closes all connections; new ones are accepted. */
  hangUp(): void
  close(): Promise<void>
}

/** `respond` receives the body of each request. A rejection drops the connection. */
export async function startRpcProxy(
  respond: (body: string, response: ServerResponse) => Promise<void>,
): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => respond(body, response))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hangUp: () => server.closeAllConnections(),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

export async function forward(url: string, call: RpcCall): Promise<RpcReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', ...call }),
  })
  return (await response.json()) as RpcReply
}

/** Answers eth_getBlockReceipts, assembled from single receipts of the node. */
export async function gatherReceipts(url: string, { id, params }: RpcCall): Promise<RpcReply> {
  const isHash = String(params[0]).length === 66
  const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const { result } = await forward(url, { id, method, params: [params[0], false] })
  if (result === null) return { id, result }
  const { transactions } = result as { transactions: string[] }
  const receipts = transactions.map((hash) =>
    forward(url, { id, method: 'eth_getTransactionReceipt', params: [hash] }),
  )
  return { id, result: (await Promise.all(receipts)).map((reply) => reply.result) }
}

export function refusal({ id }: RpcCall, message: string, code = -32_000): RpcReply {
  return { id, error: { code, message } }
}

/** Number of blocks in a request for logs of a range; null for any other request. */
export function rangeBlocksOf({ method, params }: RpcCall): number | null {
  const filter = params[0] as { fromBlock?: string; toBlock?: string } | undefined
  if (method !== 'eth_getLogs' || filter?.fromBlock === undefined) return null
  return Number(filter.toBlock) - Number(filter.fromBlock) + 1
}

// Error text of a node that keeps the state of its newest blocks only.
export const prunedText = 'missing trie node 5bd7 (path ) state 0x5bd7 is not available, not found'

const stateMethods = ['eth_call', 'eth_getCode', 'eth_getBalance']

/** Whether the call asks for the state of a block further behind the head. */
export async function isStateGone(
  url: string,
  call: RpcCall,
  stateBlocksMax: number,
): Promise<boolean> {
  const at = call.params[1] as string | { blockHash: string } | undefined
  if (!stateMethods.includes(call.method) || at === undefined || at === 'latest') return false
  const ask = async (method: string, params: unknown[]) =>
    (await forward(url, { id: 0, method, params })).result
  const block =
    typeof at === 'string'
      ? { number: at }
      : ((await ask('eth_getBlockByHash', [at.blockHash, false])) as RawBlock | null)
  if (block === null) return false
  const behind = Number(await ask('eth_blockNumber', [])) - Number(block.number)
  // State by number is available at least at the head, which "latest" names as well.
  return behind > (typeof at === 'string' ? Math.max(0, stateBlocksMax) : stateBlocksMax)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
