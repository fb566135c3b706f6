import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../lib/logger.ts'
import type { RpcError } from '../errors.ts'
import { createPass } from './rpc/createPass.ts'
import { createEndpoint, type Endpoint, type EndpointOptions } from './rpc/endpoint.ts'
import { type CreateHttpPost, createHttpPost } from './rpc/httpPost.ts'

export type EvmEndpointOptions = {
  httpUrl: string
  /** Announces new heads; the endpoint is polled where there is none. */
  wsUrl?: string | undefined
  /** Unlimited when absent. */
  requestsPerSecondMax?: number | undefined
  /** What the provider counts: every call of a batch, or a batch as one. @default calls */
  rateCounts?: 'calls' | 'requests' | undefined
}

export type EvmRpcOptions = {
  /** Most preferred first. */
  endpoints: readonly EvmEndpointOptions[]
  /** Until an HTTP request is given up. */
  timeoutMs: number
  /** Until a second endpoint is asked the same; the first good answer wins. */
  hedgeAfterMs: number
  /** Calls in one JSON-RPC batch. */
  batchSizeMax: number
  /** Before the first retry of a call that no endpoint answered; doubles with each. @default 100 */
  retryDelayMs?: number | undefined
  /** Bytes of one HTTP answer after decompression. @default 268_435_456 */
  responseBytesMax?: number | undefined
  /** The chain that every endpoint must be of (EIP-155); one of another is never used. Not asked for when undefined. */
  chainId?: number | undefined
  /** How an endpoint is talked to. @default HTTP */
  createHttp?: CreateHttpPost | undefined
  logger: Logger
  onMetric?: ((metric: EvmRpcMetric) => void) | undefined
}

export type EvmRpcMetric =
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

export type EvmCall = { method: string; params: readonly unknown[] }

/** One call's answer. `endpoint` is the index of the endpoint that gave it. */
export type EvmResult =
  | { ok: true; value: unknown; endpoint: number }
  | { ok: false; error: RpcError; endpoint: number }

export type EvmRequestOptions = {
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

export type EvmEndpointStatus = {
  /** Host without credentials and path. */
  name: string
  isHealthy: boolean
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
  lastError: string | null
}

/** JSON-RPC over several endpoints as if it were one that does not fail. */
export type EvmRpc = {
  /** The answer, or an RpcError. */
  request(method: string, params: readonly unknown[], options?: EvmRequestOptions): Promise<unknown>
  /** Answers in call order; never rejects. */
  requestBatch(calls: readonly EvmCall[], options?: EvmRequestOptions): Promise<EvmResult[]>
  /** What the first endpoint that is of another chain was refused for; those that do not answer are checked when they do. */
  wrongNetwork(): Promise<RpcError | null>
  /** An answer of this endpoint contradicted itself: ask others first for a while. */
  penalise(endpoint: number, fault: string): void
  /** Does any endpoint answer this method, or `logsOfAll`, as far as is known? */
  supports(feature: string): boolean
  /** The chain that every endpoint must be of; undefined: whatever it is. */
  chainId: number | undefined
  /** In endpoint order. */
  webSocketUrls(): readonly string[]
  endpointCount(): number
  status(): readonly EvmEndpointStatus[]
  close(): void
}

// A full range of logs on a busy chain is tens of megabytes; a node that sends more is not to be trusted with our memory.
const responseBytesMaxDefault = 268_435_456
const roundsMaxDefault = 3
const retryDelayMsDefault = 100
const roundDelayMsMax = 2_000
// Batches of one requestBatch under way at once; more only queue inside the node.
const batchesParallelMax = 4

export function createEvmRpc(options: EvmRpcOptions): EvmRpc {
  const { batchSizeMax, logger } = options
  assert(options.endpoints.length > 0 && batchSizeMax >= 1)
  const onMetric = options.onMetric ?? (() => undefined)
  const live = new Set<AbortController>()
  let isClosed = false
  const retryDelayMs = options.retryDelayMs ?? retryDelayMsDefault
  const endpoints = createEndpoints(options, { retryDelayMs, onMetric })
  const pass = createPass({ endpoints, hedgeAfterMs: options.hedgeAfterMs, onMetric })

  // Not AbortSignal.any: it keeps every derived signal for as long as its longest-lived source.
  async function run(calls: readonly EvmCall[], request: EvmRequestOptions): Promise<EvmResult[]> {
    const controller = new AbortController()
    const onAbort = () => controller.abort()
    live.add(controller)
    setMaxListeners(0, controller.signal)
    request.signal?.addEventListener('abort', onAbort, { once: true })
    if (isClosed || request.signal?.aborted) onAbort()
    try {
      return await runRounds(calls, request, controller.signal)
    } finally {
      live.delete(controller)
      request.signal?.removeEventListener('abort', onAbort)
    }
  }

  async function runRounds(
    calls: readonly EvmCall[],
    request: EvmRequestOptions,
    signal: AbortSignal,
  ): Promise<EvmResult[]> {
    const results = await pass(calls, request, signal)
    for (let round = 1; round < (request.roundsMax ?? roundsMaxDefault); round += 1) {
      const open = [...results.keys()].filter((at) => isRetried(results[at]!))
      if (open.length === 0) break
      const delayMs = roundDelayMs(endpoints, round, retryDelayMs)
      const isAborted = await sleep(delayMs, false, { signal }).catch(() => true)
      if (isAborted) break
      const openCalls = open.map((at) => calls[at]!)
      const again = await pass(openCalls, request, signal)
      for (const [position, at] of open.entries()) results[at] = again[position]!
    }
    return results
  }

  return {
    requestBatch: (calls, request = {}) =>
      inChunks(calls, batchSizeMax, (chunk) => run(chunk, request)),
    async request(method, params, request = {}) {
      const [result] = await run([{ method, params }], request)
      if (!result!.ok) throw result!.error
      return result!.value
    },
    async wrongNetwork() {
      const faults = await Promise.all(endpoints.map((endpoint) => endpoint.networkFault()))
      return faults.find((fault) => fault?.kind === 'wrongNetwork') ?? null
    },
    penalise(index, fault) {
      const { name: endpoint, onFault } = endpoints[index]!
      onFault(fault)
      onMetric({ type: 'fault', endpoint, fault })
      logger.warn({ msg: 'Node contradicted itself', endpoint, fault })
    },
    supports(feature) {
      const nowMs = Date.now()
      return endpoints.some((endpoint) => !endpoint.lacks(feature, nowMs))
    },
    chainId: options.chainId,
    webSocketUrls: () => options.endpoints.flatMap(({ wsUrl }) => wsUrl ?? []),
    endpointCount: () => endpoints.length,
    status: () => endpoints.map((endpoint) => endpoint.status()),
    close() {
      isClosed = true
      for (const controller of live) controller.abort()
      for (const endpoint of endpoints) endpoint.close()
    },
  }
}

function createEndpoints(
  { endpoints, timeoutMs, chainId, logger, ...options }: EvmRpcOptions,
  settled: Pick<EndpointOptions, 'retryDelayMs' | 'onMetric'>,
): Endpoint[] {
  const { responseBytesMax = responseBytesMaxDefault, createHttp = createHttpPost } = options
  const shared = { timeoutMs, responseBytesMax, chainId, createHttp, logger, ...settled }
  return endpoints.map((endpoint, index) => createEndpoint({ index, endpoint, ...shared }))
}

function isRetried(result: EvmResult): boolean {
  return !result.ok && result.error.retryable
}

/** Waits for the first endpoint that becomes worth asking, within bounds. */
function roundDelayMs(endpoints: readonly Endpoint[], round: number, firstMs: number): number {
  const nowMs = Date.now()
  const coolingMs = Math.min(...endpoints.map((endpoint) => endpoint.coolingMs(nowMs)))
  return Math.min(roundDelayMsMax, Math.max(coolingMs, firstMs * 2 ** (round - 1)))
}

async function inChunks(
  calls: readonly EvmCall[],
  size: number,
  run: (chunk: readonly EvmCall[]) => Promise<EvmResult[]>,
): Promise<EvmResult[]> {
  if (calls.length <= size) return calls.length === 0 ? [] : run(calls)
  const chunks: (readonly EvmCall[])[] = []
  for (let at = 0; at < calls.length; at += size) chunks.push(calls.slice(at, at + size))
  const results: EvmResult[] = []
  for (let at = 0; at < chunks.length; at += batchesParallelMax) {
    const answers = await Promise.all(chunks.slice(at, at + batchesParallelMax).map(run))
    for (const answer of answers) results.push(...answer)
  }
  return results
}
