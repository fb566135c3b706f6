import type { RpcCall } from './rpcCall.ts'

/** How much of a node's answer is read, after decompression. */
export type AnswerLimit = {
  bytesMax: number
  /** An honest answer can be larger: the caller asks for less. Otherwise the node is at fault. */
  isExceedable: boolean
}

/** Limits by method. A method without one answers with a number, a hash or an id. */
export type AnswerLimits = Readonly<Record<string, (call: RpcCall) => AnswerLimit>>

export const mib = 1_048_576

/** A block with its transactions, its receipts or its logs: megabytes, or 64 MB where somebody fills one with small logs. */
export const blockBytesMax = 128 * mib
/** Results of contracts and contents of accounts. Also the limit of clients that read no blocks. */
export const stateBytesMax = 32 * mib

export const honest = (bytesMax: number): AnswerLimit => ({ bytesMax, isExceedable: false })
export const exceedable = (bytesMax: number): AnswerLimit => ({ bytesMax, isExceedable: true })

export const valueLimit = honest(65_536)
export const blockLimit = honest(blockBytesMax)
/** Contracts and accounts decide how large it is, not the node. */
export const stateLimit = exceedable(stateBytesMax)

/** The limit of one HTTP answer to these calls. */
export function answerLimitOf(
  limits: AnswerLimits,
  calls: readonly RpcCall[],
  totalMax: number,
): AnswerLimit {
  let bytesMax = 0
  let isExceedable = false
  for (const call of calls) {
    const limit = Object.hasOwn(limits, call.method) ? limits[call.method]!(call) : valueLimit
    bytesMax += limit.bytesMax
    isExceedable ||= limit.isExceedable
  }
  if (bytesMax <= totalMax) return { bytesMax, isExceedable }
  // Two calls are one block and its logs. More are several blocks, which can be honest and too much together.
  return { bytesMax: totalMax, isExceedable: isExceedable || calls.length > 2 }
}
