import type { NodeFault } from '../../model/block.ts'
import type { RpcError } from '../errors.ts'

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
  /** Nobody waits for the answer: others go first where an endpoint's rate is short. @default false */
  isBackground?: boolean | undefined
}

export type RpcEndpointOptions = {
  httpUrl: string
  /** Announces new heads; the endpoint is polled where there is none. */
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
