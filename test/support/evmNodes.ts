// EVM nodes in memory: blocks whose hashes, filters and receipt roots are right, behind the real
// JSON-RPC client. A test may change any answer of any node.

import type {
  RawBlock,
  RawLog,
  RawReceipt,
} from '../../packages/server/src/chain/evm/fetch/rawBlock.ts'
import { createEvmRpc, type EvmRpcOptions } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { bloomChars, createBloomIndex } from '../../packages/server/src/chain/evm/verify/bloom.ts'
import { headerHashOf } from '../../packages/server/src/chain/evm/verify/headerReader.ts'
import { receiptsRootOf } from '../../packages/server/src/chain/evm/verify/receiptsRoot.ts'
import type { CreateHttpPost } from '../../packages/server/src/chain/rpc/httpPost.ts'
import type { RpcCall, RpcMetric } from '../../packages/server/src/chain/rpc/rpcCall.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { EvmBlock } from '../../packages/server/src/model/evm/evmBlock.ts'

export const wordOf = (value: number | bigint) => `0x${value.toString(16).padStart(64, '0')}`
const quantity = (value: number) => `0x${value.toString(16)}`
const addressOf = (value: number) => `0x${value.toString(16).padStart(40, '0')}`
const index = createBloomIndex()

/** First topics of the logs that sources of tests read. */
export const wantedTopic = wordOf(1)
/** A topic that nobody reads. */
export const otherTopic = wordOf(2)

export type NodeBlock = { raw: RawBlock; logs: RawLog[]; receipts: RawReceipt[] }

export type BlockOptions = {
  /** First topic of each log. @default one wanted log */
  topics?: readonly string[]
  /** Two blocks of one height with other branches have other hashes. @default 'a' */
  branch?: string
  /** @default a second after the parent */
  timeS?: number
}

const genesisS = 1_700_000_000

export function nextBlock(parent: NodeBlock | null, options: BlockOptions = {}): NodeBlock {
  const { topics = [wantedTopic], branch = 'a' } = options
  const number = parent === null ? 0 : Number(parent.raw.number) + 1
  const timeS = options.timeS ?? (parent === null ? genesisS : Number(parent.raw.timestamp) + 1)
  const transactionHash = wordOf(BigInt(number) * 1_000n + BigInt(branch.charCodeAt(0)))
  const from = addressOf(0xe5)
  const partial = topics.map((topic, at) => ({
    address: addressOf(0xd4),
    topics: [topic, wordOf(100 + at)],
    data: wordOf(number),
    blockNumber: quantity(number),
    logIndex: quantity(at),
    transactionHash,
    transactionIndex: '0x0',
  }))
  const logsBloom = bloomOf(partial)
  const receipt = {
    ...{ transactionHash, from, type: '0x2', status: '0x1', cumulativeGasUsed: '0x5208' },
    logsBloom,
  }
  const hasTransaction = topics.length > 0
  const bare = { ...receipt, blockHash: '', logs: partial as RawLog[] }
  const header = {
    parentHash: parent?.raw.hash ?? wordOf(0),
    sha3Uncles: wordOf(3),
    miner: from,
    stateRoot: wordOf(4),
    transactionsRoot: wordOf(5),
    receiptsRoot: receiptsRootOf(hasTransaction ? [bare] : [])!,
    logsBloom,
    difficulty: '0x0',
    number: quantity(number),
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    timestamp: quantity(timeS),
    extraData: `0x${Buffer.from(branch).toString('hex')}`,
    mixHash: wordOf(6),
    nonce: '0x0000000000000000',
  }
  const hash = headerHashOf(header)!
  const logs = partial.map((log): RawLog => ({ ...log, blockHash: hash }))
  const transactions = hasTransaction ? [{ hash: transactionHash, from }] : []
  const receipts = hasTransaction ? [{ ...receipt, blockHash: hash, logs }] : []
  return { raw: { ...header, hash, transactions }, logs, receipts }
}

function bloomOf(logs: readonly Pick<RawLog, 'address' | 'topics'>[]): string {
  const bytes = Buffer.alloc((bloomChars - 2) / 2)
  for (const { address, topics } of logs)
    for (const item of [address, ...topics])
      for (const bit of index.bitsOf(item)) bytes[bytes.length - 1 - (bit >> 3)]! |= 1 << (bit & 7)
  return `0x${bytes.toString('hex')}`
}

/** Blocks after `parent`, or a chain from block 0 on; `optionsOf` gets their numbers. */
export function mineBlocks(
  count: number,
  parent: NodeBlock | null = null,
  optionsOf: (number: number) => BlockOptions = () => ({}),
): NodeBlock[] {
  const blocks: NodeBlock[] = []
  for (let left = count; left > 0; left -= 1) {
    const before = blocks.at(-1) ?? parent
    blocks.push(nextBlock(before, optionsOf(before === null ? 0 : Number(before.raw.number) + 1)))
  }
  return blocks
}

/** What a node answers instead of a result. */
export class NodeError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const chainId = '0x7a69'

export class EvmNode {
  /** The canonical chain from block 0 on. */
  blocks: NodeBlock[]
  finalNumber: number | null = null
  /** Methods that the node does not have. */
  readonly missing = new Set<string>()
  /** Every call in the order of arrival. */
  readonly calls: RpcCall[] = []
  /** Changes an answer, or throws a NodeError. */
  alter: (answer: unknown, call: RpcCall) => unknown = (answer) => answer
  /** Does not answer at all. */
  isDown = false

  constructor(blocks: readonly NodeBlock[]) {
    this.blocks = [...blocks]
  }

  get head(): NodeBlock {
    return this.blocks.at(-1)!
  }

  mine(options?: BlockOptions): NodeBlock {
    const block = nextBlock(this.head, options)
    this.blocks.push(block)
    return block
  }

  /** The newest blocks are replaced by as many others, or more. */
  replace(count: number, options: BlockOptions, newCount = count): void {
    this.blocks.splice(this.blocks.length - count)
    this.blocks.push(...mineBlocks(newCount, this.head, () => options))
  }

  /** How often a method was called. */
  countOf(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  answer(call: RpcCall): unknown {
    this.calls.push(call)
    if (this.missing.has(call.method)) throw new NodeError(-32_601, 'method not found')
    return this.alter(this.#answer(call), call)
  }

  #answer({ method, params }: RpcCall): unknown {
    const [first, second] = params
    switch (method) {
      case 'eth_chainId':
        return chainId
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash':
        return rawOf(this.#find(first), second === true)
      case 'eth_getBlockReceipts':
        return this.#find(first)?.receipts ?? null
      case 'eth_getTransactionReceipt':
        return (
          this.blocks
            .flatMap(({ receipts }) => receipts)
            .find(({ transactionHash }) => transactionHash === first) ?? null
        )
      case 'eth_getLogs':
        return this.#logs(first as LogsFilter)
      default:
        throw new NodeError(-32_601, 'method not found')
    }
  }

  #find(place: unknown): NodeBlock | undefined {
    if (place === 'latest') return this.head
    if (place === 'finalized')
      return this.finalNumber === null ? undefined : this.blocks[this.finalNumber]
    return this.blocks.find(({ raw }) => raw.hash === place || raw.number === place)
  }

  #logs({ blockHash, fromBlock, toBlock, topics }: LogsFilter): RawLog[] {
    const isIn = ({ raw }: NodeBlock) =>
      blockHash === undefined
        ? Number(raw.number) >= Number(fromBlock) && Number(raw.number) <= Number(toBlock)
        : raw.hash === blockHash
    if (blockHash !== undefined && this.#find(blockHash) === undefined)
      throw new NodeError(-32_000, 'unknown block')
    const isWanted = (log: RawLog) => topics === undefined || topics[0].includes(log.topics[0]!)
    return this.blocks.filter(isIn).flatMap(({ logs }) => logs.filter(isWanted))
  }
}

type LogsFilter = { blockHash?: string; fromBlock?: string; toBlock?: string; topics?: [string[]] }

function rawOf(block: NodeBlock | undefined, isFull: boolean): RawBlock | null {
  if (block === undefined) return null
  const { raw } = block
  const transactions = raw.transactions.map((one) =>
    isFull || typeof one === 'string' ? one : one.hash,
  )
  return { ...raw, transactions }
}

/** Requests of the real client answered by these nodes, of which the first is the endpoint 0. */
export function httpOf(nodes: readonly EvmNode[]): CreateHttpPost {
  return ({ url }) => ({
    async post(body) {
      const node = nodes[Number(url.hostname.replace(/\D/g, ''))]!
      await new Promise(setImmediate)
      if (node.isDown) return { status: 503, retryAfterMs: undefined, text: '' }
      const asked = JSON.parse(body) as Asked | Asked[]
      const answer = Array.isArray(asked)
        ? asked.map((one) => replyTo(node, one))
        : replyTo(node, asked)
      return { status: 200, retryAfterMs: undefined, text: JSON.stringify(answer) }
    },
    close: () => undefined,
  })
}

type Asked = RpcCall & { id: number }

function replyTo(node: EvmNode, { id, ...call }: Asked): object {
  try {
    return { jsonrpc: '2.0', id, result: node.answer(call) }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
  }
}

export const endpointsOf = (nodes: readonly EvmNode[]) =>
  nodes.map((_, at) => ({ httpUrl: `http://node${at}.example` }))

/** What endpoints were penalised for, each as `0: why`. */
export function faultsIn(metrics: readonly RpcMetric[]): string[] {
  return metrics.flatMap((metric) =>
    metric.type === 'fault' ? `${Number.parseInt(metric.endpoint, 10)}: ${metric.fault}` : [],
  )
}

/** The real client over these nodes. */
export function connectNodes(nodes: readonly EvmNode[], options: Partial<EvmRpcOptions> = {}) {
  const metrics: RpcMetric[] = []
  const rpc = createEvmRpc({
    endpoints: endpointsOf(nodes),
    timeoutMs: 60_000,
    hedgeAfterMs: 60_000,
    batchSizeMax: 100,
    retryDelayMs: 1,
    logger: createLogger('silent'),
    createHttp: httpOf(nodes),
    onMetric: (metric) => metrics.push(metric),
    ...options,
  })
  return { rpc, faults: () => faultsIn(metrics) }
}

/** A block as a source gives it out, of these first topics. */
export function blockOf({ raw, logs }: NodeBlock, topics0: readonly string[]): EvmBlock {
  const wanted = logs.filter(({ topics }) => topics0.includes(topics[0]!))
  const number = Number(raw.number)
  const { hash, parentHash } = raw
  const [transaction] = raw.transactions as { hash: string; from: string }[]
  return {
    ref: { number, hash, parentNumber: number - 1, parentHash, timeS: Number(raw.timestamp) },
    logs: wanted.map(({ address, topics, data, logIndex, transactionHash }) => {
      return { address, topics, data, logIndex: Number(logIndex), transactionHash }
    }),
    senders: new Map(wanted.length > 0 ? [[transaction!.hash, transaction!.from]] : []),
  }
}
