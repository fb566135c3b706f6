import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../lib/logger.ts'
import { createSecretRedactor, type RedactSecrets, type Secrets } from '../../lib/redactSecrets.ts'
import type { RpcError } from '../errors.ts'
import { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts'
import { hedgedRace } from './hedgedRace.ts'
import { type CreateHttpPost, createHttpPost } from './httpPost.ts'
import type { EndpointRates } from './rateLimit.ts'
import {
  blockBytesMax,
  type RpcCall,
  type RpcDialect,
  type RpcEndpointOptions,
  type RpcEndpointStatus,
  type RpcMetric,
  type RpcRequestOptions,
  type RpcResult,
} from './rpcCall.ts'

export type RpcOptions = {
  /** Endpoints, most preferred first. */
  endpoints: readonly RpcEndpointOptions[]
  /** Time limit of an HTTP request. */
  timeoutMs: number
  /** Delay after which a second endpoint is asked the same; the first good answer wins. */
  hedgeAfterMs: number
  /** Largest number of calls in one JSON-RPC batch. */
  batchSizeMax: number
  /**
   * Delay before the first retry of a call that no endpoint answered; doubles with each retry.
   * @default 100
   */
  retryDelayMs?: number | undefined
  /**
   * Size limit of an HTTP answer after decompression; most methods have a lower limit. @default
   * blockBytesMax
   */
  responseBytesMax?: number | undefined
  /** Secrets to redact, besides those in endpoint URLs. @default none */
  secrets?: Secrets | undefined
  /** Creates the HTTP client of an endpoint. @default createHttpPost */
  createHttp?: CreateHttpPost | undefined
  /** Rate limits shared with other users of the same endpoints. @default separate limits */
  rates?: EndpointRates | undefined
  logger: Logger
  onMetric?: ((metric: RpcMetric) => void) | undefined
}

/** JSON-RPC client over several endpoints, with failover and retries. */
export type Rpc = {
  /** Returns the answer or throws an RpcError. */
  request(method: string, params: readonly unknown[], options?: RpcRequestOptions): Promise<unknown>
  /** Returns answers in the order of the calls; never rejects. */
  requestBatch(calls: readonly RpcCall[], options?: RpcRequestOptions): Promise<RpcResult[]>
  /**
   * Returns the error of the first endpoint that serves another chain, or null. Endpoints that do
   * not answer are checked once they do.
   */
  wrongNetwork(): Promise<RpcError | null>
  /**
   * Records that an endpoint's answer contradicted itself: other endpoints are asked first for a
   * while.
   */
  penalise(endpoint: number, fault: string): void
  /** Returns whether any endpoint supports this method or feature, as far as is known. */
  supports(feature: string): boolean
  /** WebSocket URLs in endpoint order. */
  webSocketUrls(): readonly string[]
  endpointCount(): number
  /** Host and port of each endpoint, in endpoint order. */
  hosts(): readonly string[]
  status(): readonly RpcEndpointStatus[]
  close(): void
}

const roundsMaxDefault = 3
const retryDelayMsDefault = 100
const roundDelayMsMax = 2_000
// Concurrent batches of one requestBatch; more would only queue inside the node.
const batchesParallelMax = 4

/** Creates a client. Endpoints of another chain than the dialect requires are never used. */
export function createRpc(options: RpcOptions, dialect: RpcDialect): Rpc {
  const { batchSizeMax, logger } = options
  assert(options.endpoints.length > 0 && batchSizeMax >= 1)
  const onMetric = options.onMetric ?? (() => undefined)
  const live = new Set<AbortController>()
  let isClosed = false
  const retryDelayMs = options.retryDelayMs ?? retryDelayMsDefault
  const hide = hiderOf(options)
  const endpoints = createEndpoints(options, { retryDelayMs, onMetric, dialect, hide })
  const askOnce = createAskOnce({ endpoints, hedgeAfterMs: options.hedgeAfterMs, onMetric })

  // AbortSignal.any is avoided: it keeps every derived signal as long as its longest-lived source.
  async function run(calls: readonly RpcCall[], request: RpcRequestOptions): Promise<RpcResult[]> {
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
    calls: readonly RpcCall[],
    request: RpcRequestOptions,
    signal: AbortSignal,
  ): Promise<RpcResult[]> {
    const results = await askOnce(calls, request, signal)
    for (let round = 1; round < (request.roundsMax ?? roundsMaxDefault); round += 1) {
      const open = [...results.keys()].filter((at) => isRetried(results[at]!))
      if (open.length === 0) break
      const delayMs = roundDelayMs(endpoints, round, retryDelayMs)
      const isAborted = await sleep(delayMs, false, { signal }).catch(() => true)
      if (isAborted) break
      const openCalls = open.map((at) => calls[at]!)
      const again = await askOnce(openCalls, request, signal)
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
    penalise(index, given) {
      const { name: endpoint, onFault } = endpoints[index]!
      const fault = hide(given)
      onFault(fault)
      onMetric({ type: 'fault', endpoint, fault })
      logger.warn({ msg: 'Node contradicted itself', endpoint, fault })
    },
    supports(feature) {
      const nowMs = Date.now()
      return endpoints.some((endpoint) => !endpoint.lacks(feature, nowMs))
    },
    webSocketUrls: () => options.endpoints.flatMap(({ wsUrl }) => wsUrl ?? []),
    endpointCount: () => endpoints.length,
    hosts: () => options.endpoints.map(({ httpUrl }) => new URL(httpUrl).host),
    status: () => endpoints.map((endpoint) => endpoint.status()),
    close() {
      isClosed = true
      for (const controller of live) controller.abort()
      for (const endpoint of endpoints) endpoint.close()
    },
  }
}

function hiderOf({ endpoints, secrets = { urls: [] } }: RpcOptions): RedactSecrets {
  const own = endpoints.flatMap(({ httpUrl, wsUrl }) => [httpUrl, wsUrl ?? []].flat())
  return createSecretRedactor({ ...secrets, urls: [...own, ...secrets.urls] })
}

function createEndpoints(
  { endpoints, timeoutMs, logger, ...options }: RpcOptions,
  settled: Pick<EndpointOptions, 'retryDelayMs' | 'onMetric' | 'dialect' | 'hide'>,
): Endpoint[] {
  const { responseBytesMax = blockBytesMax, createHttp = createHttpPost, rates } = options
  const shared = { timeoutMs, responseBytesMax, createHttp, rates, logger, ...settled }
  return endpoints.map((endpoint, index) => createEndpoint({ index, endpoint, ...shared }))
}

function isRetried(result: RpcResult): boolean {
  return !result.ok && result.error.retryable
}

/** Returns how long to wait for the first endpoint that becomes available, within bounds. */
function roundDelayMs(endpoints: readonly Endpoint[], round: number, firstMs: number): number {
  const nowMs = Date.now()
  const coolingMs = Math.min(...endpoints.map((endpoint) => endpoint.coolingMs(nowMs)))
  return Math.min(roundDelayMsMax, Math.max(coolingMs, firstMs * 2 ** (round - 1)))
}

async function inChunks(
  calls: readonly RpcCall[],
  size: number,
  run: (chunk: readonly RpcCall[]) => Promise<RpcResult[]>,
): Promise<RpcResult[]> {
  if (calls.length <= size) return calls.length === 0 ? [] : run(calls)
  const chunks: (readonly RpcCall[])[] = []
  for (let at = 0; at < calls.length; at += size) chunks.push(calls.slice(at, at + size))
  const results: RpcResult[] = []
  for (let at = 0; at < chunks.length; at += batchesParallelMax) {
    const answers = await Promise.all(chunks.slice(at, at + batchesParallelMax).map(run))
    for (const answer of answers) results.push(...answer)
  }
  return results
}

type AskOnceOptions = {
  endpoints: readonly Endpoint[]
  hedgeAfterMs: number
  onMetric: (metric: RpcMetric) => void
}

/** Asks the endpoints once, best first, and returns each call's best answer. */
type AskOnce = (
  calls: readonly RpcCall[],
  request: RpcRequestOptions,
  signal: AbortSignal,
) => Promise<RpcResult[]>

// Weighs more than distrust, less than an endpoint that does not answer at all.
const avoidedWeight = 1e11

function createAskOnce({ endpoints, hedgeAfterMs, onMetric }: AskOnceOptions): AskOnce {
  function inOrder(calls: readonly RpcCall[], avoid: readonly number[]): readonly Endpoint[] {
    if (endpoints.length === 1) return endpoints
    const nowMs = Date.now()
    const rankOf = (endpoint: Endpoint) =>
      endpoint.rank(calls, nowMs) + (avoid.includes(endpoint.index) ? avoidedWeight : 0)
    return endpoints
      .map((endpoint) => ({ endpoint, rank: rankOf(endpoint) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ endpoint }) => endpoint)
  }

  return async function askOnce(calls, request, signal) {
    const avoid = request.avoid ?? []
    const order = inOrder(calls, avoid)
    const isHedge = (endpoint: Endpoint) =>
      endpoint.coolingMs(Date.now()) === 0 && !avoid.includes(endpoint.index)
    const { isNullMiss = false, isBackground = false } = request
    const isSettled = (result: RpcResult) =>
      result.ok ? !(isNullMiss && result.value === null) : result.error.isDefinite
    const answers = await hedgedRace(
      order.map(
        (endpoint) => (race: AbortSignal, onSent: () => void) =>
          endpoint.send(calls, { signal: race, isBackground, onSent }),
      ),
      {
        hedgeAfterMs,
        // A rate-limited endpoint may become available before the current one has answered.
        canHedge: (runner) => isHedge(order[runner]!),
        isGood: (results) => results.every(isSettled),
        onHedge: (runner) => onMetric({ type: 'hedge', endpoint: order[runner]!.name }),
        signal,
      },
    )
    return calls.map((_, at) => {
      const given = answers.map((results) => results[at]!)
      // An error that names a smaller range helps more than other errors.
      const isOfSize = (result: RpcResult) => !result.ok && result.error.isOfSize
      const settled = given.find(isSettled) ?? given.find((result) => result.ok)
      return settled ?? given.find(isOfSize) ?? given.at(-1)!
    })
  }
}
