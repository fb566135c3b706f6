import type { Logger } from '../../lib/logger.ts'
import type { RedactSecrets } from '../../lib/redactSecrets.ts'
import { RpcError, type RpcSource } from '../errors.ts'
import { createHealth, type Health } from './health.ts'
import type { CreateHttpPost } from './httpPost.ts'
import { createPost, failAll, type Post } from './postCalls.ts'
import { awaitTokens, createRateLimit, type EndpointRates, type RateLimit } from './rateLimit.ts'
import type {
  Capabilities,
  RpcCall,
  RpcDialect,
  RpcEndpointOptions,
  RpcEndpointStatus,
  RpcMetric,
  RpcResult,
} from './rpcCall.ts'

export type EndpointOptions = {
  index: number
  endpoint: RpcEndpointOptions
  hide: RedactSecrets
  timeoutMs: number
  responseBytesMax: number
  retryDelayMs: number
  dialect: RpcDialect
  createHttp: CreateHttpPost
  rates?: EndpointRates | undefined
  logger: Logger
  onMetric: (metric: RpcMetric) => void
}

type SendOptions = {
  signal: AbortSignal
  /** Lets other requests go first while the endpoint's rate is exhausted. */
  isBackground: boolean
  /** Called when the request is sent, after the wait for the endpoint's rate limit. */
  onSent: () => void
}

/** One node: its connections, rate limit and health. */
export type Endpoint = {
  readonly index: number
  readonly name: string
  /** Returns answers in the order of the calls; never rejects. */
  send(calls: readonly RpcCall[], options: SendOptions): Promise<RpcResult[]>
  /** Returns the endpoint's rank for these calls; the lowest is asked first. */
  rank(calls: readonly RpcCall[], nowMs: number): number
  /**
   * Returns why the endpoint must not be used: it serves another chain, or does not report its
   * chain. Null if it may be used.
   */
  networkFault(): Promise<RpcError | null>
  coolingMs(nowMs: number): number
  lacks(feature: string, nowMs: number): boolean
  onFault(fault: string): void
  status(): RpcEndpointStatus
  close(): void
}

// Weights of an endpoint's problems, worst first. Below them, the expected wait in milliseconds
// counts.
const rankWeight = { lacksMethod: 1e15, isCooling: 1e12, isDistrusted: 1e10, refusesRange: 1e8 }

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { index, endpoint, dialect, logger, hide } = options
  const url = new URL(endpoint.httpUrl)
  const name = `${index}:${url.host}`
  const origin: RpcSource = { index, name, hide }
  const http = options.createHttp({ ...options, url, source: origin })
  const bucket = bucketOf(endpoint, options.rates)
  const capabilities = dialect.createCapabilities()
  const health = createHealth({ index, bucket, coolMsFirst: options.retryDelayMs })
  const counts = { inFlight: 0, requestCount: 0 }
  const { classify, answerLimits } = dialect
  const source = { ...origin, capabilities, classify, answerLimits }
  const { responseBytesMax, onMetric } = options
  const post = createPost({ source, http, health, counts, responseBytesMax, logger, onMetric })
  const tokensOf = createTokenCount(endpoint, capabilities)
  const network =
    dialect.network && createNetworkCheck({ origin, post, health, logger, ...dialect })

  async function send(
    calls: readonly RpcCall[],
    { signal, isBackground, onSent }: SendOptions,
  ): Promise<RpcResult[]> {
    const first = calls[0]!
    const facts = { method: first.method, endpoint: origin }
    const rangeBlocksMax =
      calls.length === 1 ? capabilities.logRangeRefusal(first, Date.now()) : null
    if (rangeBlocksMax !== null) {
      const detail = 'The node has refused ranges of this size before'
      const error = new RpcError({ kind: 'rangeTooLarge', ...facts, detail, rangeBlocksMax })
      return failAll(source, calls, error)
    }
    const wanted = { count: tokensOf(calls), isBackground }
    if (bucket !== null && !(await awaitTokens(bucket, wanted, signal))) {
      const error = new RpcError({ kind: 'aborted', ...facts, detail: 'No longer wanted' })
      return failAll(source, calls, error)
    }
    onSent()
    const fault = (await network?.fault()) ?? null
    if (fault !== null) return failAll(source, calls, fault)
    const results = await sendBatches(post, capabilities, calls, signal)
    if (results.some((result) => !result.ok && result.error.kind === 'unreachable'))
      network?.forget()
    return results
  }

  function rank(calls: readonly RpcCall[], nowMs: number): number {
    const lacksMethod = calls.some((call) =>
      capabilities.lacks(capabilities.featureOf(call), nowMs),
    )
    const refusesRange =
      calls.length === 1 && capabilities.logRangeRefusal(calls[0]!, nowMs) !== null
    return (
      (lacksMethod ? rankWeight.lacksMethod : 0) +
      (health.isCooling(nowMs) ? rankWeight.isCooling : 0) +
      distrustRank(health, nowMs) +
      (refusesRange ? rankWeight.refusesRange : 0) +
      (bucket?.waitMs(tokensOf(calls), nowMs) ?? 0)
    )
  }

  function status(): RpcEndpointStatus {
    const nowMs = Date.now()
    const isHealthy = !health.isCooling(nowMs) && !health.isDistrusted(nowMs)
    const can = { isBatching: capabilities.batchSizeMax() > 1, lacks: capabilities.lost(nowMs) }
    const rateWaitMs = bucket?.waitMs(1, nowMs) ?? 0
    return { name, isHealthy, rateWaitMs, ...can, ...counts, ...health.summary() }
  }

  return {
    index,
    name,
    send,
    rank,
    networkFault: async () => (await network?.fault()) ?? null,
    coolingMs: health.coolingMs,
    lacks: capabilities.lacks,
    onFault: health.onFault,
    status,
    close: http.close,
  }
}

/**
 * Creates the endpoint's rate limit. Users of the same URL share `rates`: the first one's limit
 * applies to all of them together.
 */
function bucketOf(
  { httpUrl, requestsPerSecondMax: perSecond }: RpcEndpointOptions,
  rates: EndpointRates | undefined,
): RateLimit | null {
  if (perSecond === undefined) return null
  const parent = rates?.get(httpUrl)
  const bucket = createRateLimit({ perSecond, parent })
  if (parent === undefined) rates?.set(httpUrl, bucket)
  return bucket
}

/** Ranks distrusted endpoints: the one that was wrong longest ago comes first. */
function distrustRank(health: Pick<Health, 'distrustMs'>, nowMs: number): number {
  const leftMs = health.distrustMs(nowMs)
  return leftMs === 0 ? 0 : rankWeight.isDistrusted + leftMs
}

/** Creates the cost function of calls, as the endpoint's provider counts them. */
function createTokenCount({ rateCounts }: RpcEndpointOptions, capabilities: Capabilities) {
  return (calls: readonly RpcCall[]): number =>
    rateCounts === 'requests'
      ? Math.max(1, Math.ceil(calls.length / capabilities.batchSizeMax()))
      : calls.length
}

// Concurrent requests to a node that does not accept batches.
const singlesParallelMax = 8

/**
 * Sends calls in the form that the node accepts: one batch, smaller batches, or single requests.
 */
async function sendBatches(
  post: Post,
  capabilities: Capabilities,
  calls: readonly RpcCall[],
  signal: AbortSignal,
): Promise<RpcResult[]> {
  const size = capabilities.batchSizeMax()
  if (calls.length <= size) {
    const results = await post(calls, signal)
    const [head] = results
    if (calls.length === 1 || head?.ok !== false || head.error.kind !== 'batchRefused')
      return results
    capabilities.shrinkBatch(calls.length)
    return sendBatches(post, capabilities, calls, signal)
  }
  const groups: (readonly RpcCall[])[] = []
  for (let at = 0; at < calls.length; at += size) groups.push(calls.slice(at, at + size))
  const results: RpcResult[] = []
  const parallel = size === 1 ? singlesParallelMax : 1
  for (let at = 0; at < groups.length; at += parallel) {
    const now = groups.slice(at, at + parallel)
    const answers = await Promise.all(
      now.map((group) => sendBatches(post, capabilities, group, signal)),
    )
    results.push(...answers.flat())
  }
  return results
}

type NetworkCheckOptions = {
  origin: RpcSource
  post: Post
  health: Health
  /** The request that identifies a node's chain. */
  network: RpcDialect['network']
  logger: Logger
}

/** Checks which chain an endpoint serves, before its first use and after it was unreachable. */
type NetworkCheck = {
  /**
   * Returns null if the endpoint serves the right chain, else why it must not be used now. Never
   * rejects.
   */
  fault(): Promise<RpcError | null>
  /** Called when the connection was lost: the next node behind the URL may serve another chain. */
  forget(): void
}

// An endpoint of the wrong network is checked again after this time: the mistake may be the
// provider's and be fixed.
const askAgainMs = 60_000

function createNetworkCheck(options: NetworkCheckOptions): NetworkCheck {
  const { origin, post, health, network, logger } = options
  let asked: Promise<RpcError | null> | null = null

  async function ask(): Promise<RpcError | null> {
    const { method, faultOf } = network!
    // All waiting callers share this request, so it has no abort signal of theirs.
    const [result] = await post([{ method, params: [] }], new AbortController().signal)
    if (!result!.ok) {
      asked = null
      return result!.error
    }
    const detail = faultOf(result!.value)
    if (detail === null) return null
    const error = new RpcError({ kind: 'wrongNetwork', method, endpoint: origin, detail })
    health.onError(error)
    logger.error({
      msg: 'Refused an endpoint of another network',
      endpoint: origin.name,
      detail: error.detail,
    })
    setTimeout(() => {
      asked = null
    }, askAgainMs).unref()
    return error
  }

  return {
    fault() {
      asked ??= ask()
      return asked
    },
    forget() {
      asked = null
    },
  }
}
