import { createRpc, type Rpc, type RpcOptions } from '../../rpc/rpc.ts'
import {
  type AnswerLimit,
  type AnswerLimits,
  blockBytesMax,
  blockLimit,
  type Capabilities,
  createMethodCapabilities,
  hardLimit,
  mib,
  type RpcCall,
  type RpcDialect,
  softLimit,
  stateLimit,
} from '../../rpc/rpcCall.ts'
import { parseQuantity } from '../fetch/rawBlock.ts'
import { classifyRpcError } from './classifyRpcError.ts'

export type EvmRpcOptions = RpcOptions & {
  /**
   * Chain id (EIP-155) that every endpoint must have; others are never used. Undefined: not
   * checked.
   */
  chainId?: number | undefined
}

export type EvmRpc = Rpc & {
  /** Chain id that every endpoint must have. Undefined: any. */
  chainId: number | undefined
}

export function createEvmRpc(options: EvmRpcOptions): EvmRpc {
  const { chainId, ...rest } = options
  return { ...createRpc(rest, evmDialect(chainId)), chainId }
}

function evmDialect(chainId: number | undefined): RpcDialect {
  return {
    classify(call, failure) {
      const { kind, range } = classifyRpcError(failure)
      // No range is smaller than one block, so the refusal has another reason, and another node may
      // answer.
      const isOfOne = kind === 'rangeTooLarge' && blocksAsked(call) === 1
      return { kind: isOfOne ? 'logsRefused' : kind, range }
    },
    createCapabilities,
    answerLimits: evmAnswerLimits,
    network: chainId === undefined ? null : { method: 'eth_chainId', faultOf: faultOf(chainId) },
  }
}

const faultOf = (chainId: number) => (answer: unknown) => {
  const found = parseQuantity(answer)
  if (found === chainId) return null
  return `It is of chain ${Number.isNaN(found) ? String(answer) : found}, not ${chainId}`
}

// Headers contain the hashes of the block's transactions.
const headerBytesMax = 8 * mib
const codeBytesMax = 4 * mib
const logsBytesBase = 16 * mib
const logsBytesPerBlock = 2 * mib

export const evmAnswerLimits: AnswerLimits = {
  eth_getBlockByNumber: blockOf,
  eth_getBlockByHash: blockOf,
  eth_getBlockReceipts: () => blockLimit,
  eth_getTransactionReceipt: () => blockLimit,
  eth_getLogs: logsOf,
  eth_call: () => stateLimit,
  eth_getCode: () => hardLimit(codeBytesMax),
}

function blockOf({ params }: RpcCall): AnswerLimit {
  const isFull = params[1] === true
  return isFull ? blockLimit : hardLimit(headerBytesMax)
}

function logsOf(call: RpcCall): AnswerLimit {
  const blocks = blocksAsked(call) ?? 1
  const bytesMax = Math.min(blockBytesMax, logsBytesBase + blocks * logsBytesPerBlock)
  return blocks > 1 ? softLimit(bytesMax) : blockLimit
}

/**
 * Feature of nodes that return logs of all contracts; some only return those of given addresses.
 */
export const logsOfAll = 'eth_getLogs without address'

type LogsFilter = { address?: unknown; blockHash?: string; fromBlock?: string; toBlock?: string }

const filterOf = ({ params }: RpcCall) => params[0] as LogsFilter

/** Returns the feature a node needs to answer a call. */
export function featureOf(call: RpcCall): string {
  const isOfAll = call.method === 'eth_getLogs' && filterOf(call).address === undefined
  return isOfAll ? logsOfAll : call.method
}

/** Returns the number of blocks in a log request; null for other calls. */
function blocksAsked(call: RpcCall): number | null {
  if (call.method !== 'eth_getLogs') return null
  const { blockHash, fromBlock, toBlock } = filterOf(call)
  return blockHash === undefined ? Number(toBlock) - Number(fromBlock) + 1 : 1
}

const forgetAfterMs = 600_000
// A single block may have more logs than a node returns. After this many such blocks in a row, the
// node is assumed to return none.
const blocksRefusedMax = 3

export function createCapabilities(): Capabilities {
  const methods = createMethodCapabilities()
  const { lose } = methods
  // Range limits by feature: some nodes accept more blocks for given addresses than for all.
  const logLimits = new Map<string, LogLimit>()
  /** Refused single blocks in a row, by feature. */
  const blocksRefused = new Map<string, number>()

  return {
    ...methods,
    featureOf,
    lacks: (feature, nowMs) =>
      methods.lacks(feature, nowMs) ||
      (feature === logsOfAll && methods.lacks('eth_getLogs', nowMs)),
    onAnswer(call, nowMs) {
      const blocks = blocksAsked(call)
      if (blocks === null) return
      blocksRefused.delete(featureOf(call))
      logLimits.get(featureOf(call))?.onAnswer(blocks, nowMs)
    },
    onRefusal(call, { kind, range }, nowMs) {
      const blocks = blocksAsked(call)
      const feature = featureOf(call)
      if (kind === 'unknownMethod') lose(call.method, nowMs)
      else if (kind === 'addressNeeded') lose(logsOfAll, nowMs)
      else if (blocks === 1 && kind === 'logsRefused') {
        const count = (blocksRefused.get(feature) ?? 0) + 1
        blocksRefused.set(feature, count)
        if (count >= blocksRefusedMax) lose(feature, nowMs)
      } else if (blocks !== null && (kind === 'logsRefused' || range?.isFixed)) {
        const limit = logLimits.get(feature) ?? createLogLimit()
        logLimits.set(feature, limit)
        limit.onRefusal(blocks, range?.blocksMax, nowMs)
      }
    },
    logRangeRefusal(call, nowMs) {
      const blocksMax = logLimits.get(featureOf(call))?.blocksMax(nowMs)
      const blocks = blocksAsked(call)
      return blocksMax !== undefined && blocks !== null && blocks > blocksMax ? blocksMax : null
    },
  }
}

/**
 * Number of blocks a node accepts in one log request: its stated limit, until requests show
 * otherwise.
 */
type LogLimit = {
  blocksMax(nowMs: number): number
  onAnswer(blocks: number, nowMs: number): void
  /** Records a refused request. `namedMax`: range that the node says would work. */
  onRefusal(blocks: number, namedMax: number | undefined, nowMs: number): void
}

// Full answers before a larger range is tried; doubles each time the limit was confirmed.
const answersFirst = 8
const answersMax = 1_024
const growth = 1.5

function createLogLimit(): LogLimit {
  let limit = { blocksMax: Number.POSITIVE_INFINITY, untilMs: 0 }
  let answersNeeded = answersFirst
  let answers = 0
  const blocksMax = (nowMs: number) =>
    limit.untilMs > nowMs ? limit.blocksMax : Number.POSITIVE_INFINITY

  return {
    blocksMax,
    onAnswer(blocks, nowMs) {
      if (blocks < blocksMax(nowMs)) return
      answers += 1
      if (answers < answersNeeded) return
      answers = 0
      limit = { ...limit, blocksMax: Math.ceil(limit.blocksMax * growth) }
    },
    onRefusal(blocks, namedMax, nowMs) {
      // Concurrent requests report the same refusal once.
      if (blocks > blocksMax(nowMs)) return
      const isSmaller = namedMax !== undefined && namedMax < blocks
      const smaller = isSmaller ? namedMax : Math.max(1, Math.floor(blocks / 2))
      limit = { blocksMax: smaller, untilMs: nowMs + forgetAfterMs }
      answersNeeded = Math.min(answersMax, answersNeeded * 2)
      answers = 0
    },
  }
}
