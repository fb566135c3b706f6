import type { NodeFault } from '../../model/block.ts'
import type { RpcError, RpcErrorKind } from '../errors.ts'

export type RpcCall = { method: string; params: readonly unknown[] }

/** Answer to one call. `endpoint` is the index of the endpoint that returned it. */
export type RpcResult =
  | { ok: true; value: unknown; endpoint: number }
  | { ok: false; error: RpcError; endpoint: number }

export type RpcRequestOptions = {
  signal?: AbortSignal | undefined
  /** Endpoints to ask last. */
  avoid?: readonly number[] | undefined
  /**
   * A null answer counts as missing: other endpoints are asked before it is accepted. @default
   * false
   */
  isNullMiss?: boolean | undefined
  /** Number of rounds through all endpoints. @default 3 */
  roundsMax?: number | undefined
  /**
   * No caller waits for the answer: other requests go first while an endpoint's rate is exhausted.
   * @default false
   */
  isBackground?: boolean | undefined
}

export type RpcEndpointOptions = {
  httpUrl: string
  /** Socket that announces new heads. @default heads are polled */
  wsUrl?: string | undefined
  /** @default unlimited */
  requestsPerSecondMax?: number | undefined
  /** What the provider counts: every call of a batch, or a batch as one request. @default calls */
  rateCounts?: 'calls' | 'requests' | undefined
}

export type RpcEndpointStatus = {
  /** Host, without credentials and path. */
  name: string
  isHealthy: boolean
  /** How long a call would wait now for the endpoint's rate limit. */
  rateWaitMs: number
  isBatching: boolean
  /** Methods that the endpoint does not support. */
  lacks: readonly string[]
  latencyMs: number
  inFlight: number
  requestCount: number
  failureCount: number
  rateLimitedCount: number
  /** Number of answers that contradicted themselves. */
  faultCount: number
  lastError: NodeFault | null
}

export type RpcMetric =
  | {
      type: 'request'
      endpoint: string
      /** Method of the first call. */
      method: string
      /** Number of calls by outcome: `ok` or the kind of the error. */
      outcomes: Readonly<Record<string, number>>
      durationMs: number
      bytes: number
    }
  | { type: 'hedge'; endpoint: string }
  | { type: 'fault'; endpoint: string; fault: string }

/** A failed call, as the node reports it. */
export type RpcFailure = {
  method: string
  /** JSON-RPC error code; absent if the answer was not JSON-RPC. */
  code?: number | undefined
  message: string
  /** Error data; some nodes name a range here that would work. */
  data?: string | undefined
  httpStatus?: number | undefined
}

/** A node's limit on a range of blocks. */
export type RangeLimit = {
  /** Range suggested by the node, if any. */
  blocksMax: number | undefined
  /** True if the node limits the number of blocks; false if the limit depends on their content. */
  isFixed: boolean
}

export type Refusal = { kind: RpcErrorKind; range: RangeLimit | undefined }

/** Features that one node lacks. Forgotten after a while: nodes are upgraded and plans extended. */
export type Capabilities = {
  /** Returns the feature a node needs to answer a call. */
  featureOf(call: RpcCall): string
  /** Returns whether the node lacks a method or a part of it. */
  lacks(feature: string, nowMs: number): boolean
  lost(nowMs: number): string[]
  batchSizeMax(): number
  shrinkBatch(refusedSize: number): void
  onAnswer(call: RpcCall, nowMs: number): void
  onRefusal(call: RpcCall, refusal: Refusal, nowMs: number): void
  /**
   * Returns the range that would be answered if the node is known to refuse this call's range; else
   * null.
   */
  logRangeRefusal(call: RpcCall, nowMs: number): number | null
}

/** Differences between the nodes of one family of chains and those of others. */
export type RpcDialect = {
  /** Classifies a failure by the node's code, text and HTTP status. */
  classify(call: RpcCall, failure: RpcFailure): Refusal
  createCapabilities(): Capabilities
  answerLimits: AnswerLimits
  /**
   * The request that identifies a node's chain, and the check of its answer. Null: any chain is
   * accepted.
   */
  network: { method: string; faultOf(answer: unknown): string | null } | null
}

const forgetAfterMs = 600_000
// A node that refuses a batch of this size or smaller refuses all batches.
const batchSizeSmallest = 4

type MethodCapabilities = Capabilities & { lose(feature: string, nowMs: number): void }

/** Tracks missing methods and batches, for all families of chains. */
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

/** Size limit of a node's answer, after decompression. */
export type AnswerLimit = {
  bytesMax: number
  /**
   * True if a valid answer can be larger, so the caller requests less. False if a larger answer is
   * the node's fault.
   */
  isExceedable: boolean
}

/** Limits by method. Methods without a limit answer with a number, a hash or an id. */
export type AnswerLimits = Readonly<Record<string, (call: RpcCall) => AnswerLimit>>

export const mib = 1_048_576

/**
 * A block with its transactions, receipts or logs takes megabytes, or 64 MB if someone fills it
 * with small logs.
 */
export const blockBytesMax = 128 * mib
/** Limit of contract results and account contents, and of clients that read no blocks. */
export const stateBytesMax = 32 * mib

export const hardLimit = (bytesMax: number): AnswerLimit => ({ bytesMax, isExceedable: false })
export const softLimit = (bytesMax: number): AnswerLimit => ({ bytesMax, isExceedable: true })

export const valueLimit = hardLimit(65_536)
export const blockLimit = hardLimit(blockBytesMax)
/** Contracts and accounts determine the size of these answers, not the node. */
export const stateLimit = softLimit(stateBytesMax)

/** Returns the size limit of one HTTP answer to these calls. */
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
  // Two calls are one block and its logs. More calls are several blocks, which can be valid and
  // still too large together.
  return { bytesMax: totalMax, isExceedable: isExceedable || calls.length > 2 }
}
