import type { RpcErrorKind } from '../errors.ts'
import type { AnswerLimits } from './answerLimit.ts'
import type { RpcCall } from './rpcCall.ts'

/** How a node says that it did not answer. */
export type RpcFailure = {
  method: string
  /** JSON-RPC error code; absent when the answer was not JSON-RPC. */
  code?: number | undefined
  message: string
  /** Some nodes say here which range would work. */
  data?: string | undefined
  httpStatus?: number | undefined
}

/** A node's complaint about a range of blocks. */
export type RangeLimit = {
  /** What the node says would work, when it says. */
  blocksMax: number | undefined
  /** A rule of the node, whatever the blocks hold; else it depends on how much they hold. */
  isFixed: boolean
}

export type Refusal = { kind: RpcErrorKind; range: RangeLimit | undefined }

/** What one node has shown it cannot do. Forgotten after a while: nodes are upgraded, and plans paid for. */
export type Capabilities = {
  /** What a node must be able to do to answer a call. */
  featureOf(call: RpcCall): string
  /** A method, or a part of what it does. */
  lacks(feature: string, nowMs: number): boolean
  lost(nowMs: number): string[]
  batchSizeMax(): number
  shrinkBatch(refusedSize: number): void
  onAnswer(call: RpcCall, nowMs: number): void
  onRefusal(call: RpcCall, refusal: Refusal, nowMs: number): void
  /** Blocks that would be answered, when the node is known to refuse this call for its range; else null. */
  logRangeRefusal(call: RpcCall, nowMs: number): number | null
}

/** In what the nodes of one family of chains differ from those of others. */
export type RpcDialect = {
  /** What a failure means, from the node's code, words and HTTP status. */
  classify(call: RpcCall, failure: RpcFailure): Refusal
  createCapabilities(): Capabilities
  answerLimits: AnswerLimits
  /** The question that tells which chain a node is of, and what is wrong with its answer. Null: any will do. */
  network: { method: string; faultOf(answer: unknown): string | null } | null
}

const forgetAfterMs = 600_000
// From this size down a node that refuses a batch refuses batches.
const batchSizeSmallest = 4

export type MethodCapabilities = Capabilities & { lose(feature: string, nowMs: number): void }

/** Methods and batches, as every family has them. */
export function createMethodCapabilities(): MethodCapabilities {
  const lostUntilMs = new Map<string, number>()
  let batchSizeMax = Number.POSITIVE_INFINITY
  const lacks = (feature: string, nowMs: number) => (lostUntilMs.get(feature) ?? 0) > nowMs
  const lose = (feature: string, nowMs: number) => {
    lostUntilMs.set(feature, nowMs + forgetAfterMs)
  }
  return {
    featureOf: ({ method }) => method,
    lacks,
    lose,
    lost: (nowMs) => [...lostUntilMs.keys()].filter((feature) => lacks(feature, nowMs)),
    batchSizeMax: () => batchSizeMax,
    shrinkBatch(refusedSize) {
      const smaller = refusedSize > batchSizeSmallest ? Math.ceil(refusedSize / 2) : 1
      batchSizeMax = Math.min(batchSizeMax, smaller)
    },
    onAnswer: () => undefined,
    onRefusal({ method }, { kind }, nowMs) {
      if (kind === 'unknownMethod') lose(method, nowMs)
    },
    logRangeRefusal: () => null,
  }
}
