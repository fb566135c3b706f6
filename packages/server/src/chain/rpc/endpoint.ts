import type { HideSecrets } from '../../lib/hideSecrets.ts'
import type { Logger } from '../../lib/logger.ts'
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
  hide: HideSecrets
  timeoutMs: number
  responseBytesMax: number
  retryDelayMs: number
  dialect: RpcDialect
  createHttp: CreateHttpPost
  rates?: EndpointRates | undefined
  logger: Logger
  onMetric: (metric: RpcMetric) => void
}

export type SendOptions = {
  signal: AbortSignal
  /** Lets others go first where the endpoint's rate is short. */
  isBackground: boolean
  /** Called after the wait for the endpoint's rate, if it comes to that. */
  onSent: () => void
}

/** One node: its connections, its limits, and how far it can be trusted. */
export type Endpoint = {
  readonly index: number
  readonly name: string
  /** Answers in call order; never rejects. */
  send(calls: readonly RpcCall[], options: SendOptions): Promise<RpcResult[]>
  /** Lower is asked first. */
  rank(calls: readonly RpcCall[], nowMs: number): number
  /** Why it must not be used, when it is known to be of another chain or does not say. */
  networkFault(): Promise<RpcError | null>
  coolingMs(nowMs: number): number
  lacks(feature: string, nowMs: number): boolean
  onFault(fault: string): void
  status(): RpcEndpointStatus
  close(): void
}

// Weights of what is wrong with an endpoint, worst first; below all of them counts the wait in milliseconds.
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

/** The first of several that share `rates` sets the limit that holds for all of them. */
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

/** Where no endpoint is trusted, the one that was wrong longest ago comes first. */
function distrustRank(health: Pick<Health, 'distrustMs'>, nowMs: number): number {
  const leftMs = health.distrustMs(nowMs)
  return leftMs === 0 ? 0 : rankWeight.isDistrusted + leftMs
}

/** What calls cost of the endpoint's rate, as its provider counts. */
function createTokenCount({ rateCounts }: RpcEndpointOptions, capabilities: Capabilities) {
  return (calls: readonly RpcCall[]): number =>
    rateCounts === 'requests'
      ? Math.max(1, Math.ceil(calls.length / capabilities.batchSizeMax()))
      : calls.length
}

// Requests under way at once at a node that takes no batches.
const singlesParallelMax = 8

/** Several calls as the node takes them: in one batch, in smaller ones, or one by one. */
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
  /** How it is asked which chain it is of. */
  network: RpcDialect['network']
  logger: Logger
}

/** Asks an endpoint which chain it is of, before it is used and after it was away. */
type NetworkCheck = {
  /** Null: it is of the right one. Else why it must not be used now. Never rejects. */
  fault(): Promise<RpcError | null>
  /** The connection was lost: the next node to answer may be of another chain. */
  forget(): void
}

// An address that leads to another network is a mistake in the config, or one of the provider that may be mended.
const askAgainMs = 60_000

function createNetworkCheck(options: NetworkCheckOptions): NetworkCheck {
  const { origin, post, health, network, logger } = options
  let asked: Promise<RpcError | null> | null = null

  async function ask(): Promise<RpcError | null> {
    const { method, faultOf } = network!
    // Shared by all callers that wait for it, so none of them may abort it.
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
