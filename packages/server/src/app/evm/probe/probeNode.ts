import { WebSocket } from 'ws'
import { parseQuantity } from '../../../chain/evm/fetch/rawBlock.ts'
import { boundedSocket } from '../../../chain/rpc/headSocket.ts'
import type { AskedNode } from '../../doctor/askNode.ts'
import { ProbeFailedError } from '../../errors.ts'

export type ProbedBlock = { number: number; hash: string; parent_hash: string; time_s: number }

/** Null: it is no block. */
export function readBlock(answer: unknown): ProbedBlock | null {
  const { hash, parentHash, ...block } = (answer ?? {}) as Record<string, unknown>
  const [number, timeS] = [parseQuantity(block.number), parseQuantity(block.timestamp)]
  if (typeof hash !== 'string' || typeof parentHash !== 'string') return null
  if (Number.isNaN(number) || Number.isNaN(timeS)) return null
  return { number, hash, parent_hash: parentHash, time_s: timeS }
}

/** What an endpoint is and can do. */
export type NodeAbilities = {
  chain_id: number
  client: string | null
  head: ProbedBlock
  /** The newest block that it calls final; null: it names none. */
  finalized_number: number | null
  /** Receipts of a whole block at once. */
  receipts: boolean
  /** State of old blocks. */
  archive: boolean
  /** Blocks in one request for logs: the most that it took of those tried, or all there are; 0: it gives no logs. */
  log_range_blocks: number
  batches: boolean
  /** The same address by WebSocket. */
  websocket: boolean
}

const rangesTried = [10_000, 5_000, 2_000, 1_000, 500, 100, 10, 1]
const zeroAddress = `0x${'0'.repeat(40)}`
const socketMsMax = 3_000

export async function probeNode(node: AskedNode, url: URL): Promise<NodeAbilities> {
  const { host } = url
  const failed = (cause: unknown) => {
    throw new ProbeFailedError({ host, cause })
  }
  const chainId = parseQuantity(await node.ask('eth_chainId').catch(failed))
  const head = readBlock(await node.ask('eth_getBlockByNumber', ['latest', false]).catch(failed))
  if (Number.isNaN(chainId) || head === null)
    throw new ProbeFailedError({ host, reason: 'It names neither a chain nor a block.' })
  const { number } = head
  const isAnswered = (method: string, ...params: unknown[]) =>
    node.ask(method, params).then(
      (answer) => answer !== null,
      () => false,
    )
  const finalized = await node
    .ask('eth_getBlockByNumber', ['finalized', false])
    .then(readBlock)
    .catch(() => null)
  const client = await node.ask('web3_clientVersion').catch(() => null)
  return {
    chain_id: chainId,
    client: typeof client === 'string' ? node.hide(client).slice(0, 200) : null,
    head,
    finalized_number: finalized?.number ?? null,
    receipts: await isAnswered('eth_getBlockReceipts', hexOf(number)),
    archive: await isAnswered('eth_getBalance', zeroAddress, hexOf(Math.min(1, number))),
    log_range_blocks: await widestRange(number, isAnswered),
    batches: await node.takesBatches(['eth_chainId', 'eth_blockNumber']),
    websocket: await takesSockets(url),
  }
}

/** Logs of an address that writes none: only the width of the range is in question. */
async function widestRange(
  head: number,
  isAnswered: (method: string, ...params: unknown[]) => Promise<boolean>,
): Promise<number> {
  for (const blocks of rangesTried) {
    const fromBlock = hexOf(Math.max(0, head - blocks + 1))
    const filter = { address: zeroAddress, fromBlock, toBlock: hexOf(head) }
    if (await isAnswered('eth_getLogs', filter)) return Math.min(blocks, head + 1)
  }
  return 0
}

export function takesSockets(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(String(url).replace(/^http/, 'ws'), boundedSocket)
    const timer = setTimeout(() => end(false), socketMsMax)
    const end = (isTaken: boolean) => {
      clearTimeout(timer)
      socket.terminate()
      resolve(isTaken)
    }
    socket.once('open', () =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })),
    )
    socket.once('message', () => end(true))
    // Also after it was answered: a socket that is cut off while it opens complains.
    socket.on('error', () => end(false))
  })
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}
