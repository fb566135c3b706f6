import {
  type AnswerLimit,
  type AnswerLimits,
  blockBytesMax,
  blockLimit,
  exceedable,
  honest,
  mib,
  stateLimit,
} from '../../rpc/answerLimit.ts'
import type { RpcCall } from '../../rpc/rpcCall.ts'
import { blocksAsked } from './capabilities.ts'

// With the hashes of its transactions.
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
  eth_getCode: () => honest(codeBytesMax),
}

function blockOf({ params }: RpcCall): AnswerLimit {
  const isFull = params[1] === true
  return isFull ? blockLimit : honest(headerBytesMax)
}

function logsOf(call: RpcCall): AnswerLimit {
  const blocks = blocksAsked(call) ?? 1
  const bytesMax = Math.min(blockBytesMax, logsBytesBase + blocks * logsBytesPerBlock)
  return blocks > 1 ? exceedable(bytesMax) : blockLimit
}
