import {
  type AnswerLimit,
  type AnswerLimits,
  blockBytesMax,
  blockLimit,
  exceedable,
  honest,
  mib,
  stateLimit,
  valueLimit,
} from '../rpc/answerLimit.ts'
import type { RpcCall } from '../rpc/rpcCall.ts'

// Nodes list half a million at most.
const slotsBytesMax = 8 * mib

export const solanaAnswerLimits: AnswerLimits = {
  getBlock: blockOf,
  getBlocks: () => honest(slotsBytesMax),
  getMultipleAccounts: () => stateLimit,
  getTokenAccountsByOwner: () => stateLimit,
  simulateTransaction: () => stateLimit,
  getProgramAccounts: () => exceedable(blockBytesMax),
}

function blockOf({ params }: RpcCall): AnswerLimit {
  const { transactionDetails } = (params[1] ?? {}) as { transactionDetails?: string }
  return transactionDetails === 'none' ? valueLimit : blockLimit
}
