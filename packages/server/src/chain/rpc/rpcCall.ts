import type { NodeFault } from '../../model/block.ts'
import type { RpcError, RpcErrorKind } from '../errors.ts'

export type RpcCall = { method: string; params: readonly unknown[] }

/** One call's answer. `endpoint` is the index of the endpoint that gave it. */
export type RpcResult =
  | { ok: true; value: unknown; endpoint: number }
  | { ok: false; error: RpcError; endpoint: number }

export type RpcRequestOptions = {
  signal?: AbortSignal | undefined
  /** Endpoints to ask last. */
  avoid?: readonly number[] | undefined
  /** A null answer is a miss: other endpoints are asked before it is believed. @default false */
  isNullMiss?: boolean | undefined
  /** Times all endpoints are gone through. @default 3 */
  roundsMax?: number | undefined
  /** No caller waits for the answer: others go first where an endpoint's rate is short. @default false */
  isBackground?: boolean | undefined
}

export type RpcEndpointOptions = {
  httpUrl: string
  /** Announces new heads; the endpoint is polled without it. */
  wsUrl?: string | undefined
  /** Unlimited when absent. */
  requestsPerSecondMax?: number | undefined
  /** What the provider counts: every call of a batch, or a batch as one. @default calls */
  rateCounts?: 'calls' | 'requests' | undefined
}

export type RpcEndpointStatus = {
  /** Host without credentials and path. */
  name: string
  isHealthy: boolean
  /** How long a call would wait for its place under the limit of calls a second. */
  rateWaitMs: number
  isBatching: boolean
  /** Methods the endpoint does not answer. */
  lacks: readonly string[]
  latencyMs: number
  inFlight: number
  requestCount: number
  failureCount: number
  rateLimitedCount: number
  /** Answers that contradicted themselves. */
  faultCount: number
  lastError: NodeFault | null
}

export type RpcMetric =
  | {
      type: 'request'
      endpoint: string
      /** Of the first call. */
      method: string
      /** How many calls ended how: `ok` or the kind of the error. */
      outcomes: Readonly<Record<string, number>>
      durationMs: number
      bytes: number
    }
  | { type: 'hedge'; endpoint: string }
  | { type: 'fault'; endpoint: string; fault: string }

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
  /** The node's own suggestion, if it makes one. */
  blocksMax: number | undefined
  /** A rule of the node, whatever the blocks hold; else it depends on how much they hold. */
  isFixed: boolean
}

export type Refusal = { kind: RpcErrorKind; range: RangeLimit | undefined }

/**
 * Calls that one node has failed at. Forgotten after a while: nodes are upgraded, and plans
 * extended.
 */
export type Capabilities = {
  /** Capability that a node needs to answer a call. */
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
  /** Meaning of a failure, from the node's code, message and HTTP status. */
  classify(call: RpcCall, failure: RpcFailure): Refusal
  createCapabilities(): Capabilities
  answerLimits: AnswerLimits
  /** The question that identifies the chain of a node, and what is wrong with its answer. Null: any chain will do. */
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
