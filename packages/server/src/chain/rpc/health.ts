import type { NodeFault } from '../../model/block.ts'
import { nodeFaultOf, type RpcError, type RpcErrorKind } from '../errors.ts'
import type { RateLimit } from './rateLimit.ts'

/** Recent failures of one node. */
export type Health = {
  onAnswer(durationMs: number): void
  onError(error: RpcError): void
  onFault(fault: string): void
  isCooling(nowMs: number): boolean
  isDistrusted(nowMs: number): boolean
  /** Returns how long the node stays distrusted; 0: it is trusted. */
  distrustMs(nowMs: number): number
  /** Returns how long to wait before asking the node again after failures. */
  coolingMs(nowMs: number): number
  summary(): HealthSummary
}

type HealthSummary = {
  latencyMs: number
  failureCount: number
  rateLimitedCount: number
  faultCount: number
  lastError: NodeFault | null
}

// Upper bound of the pause after failures. The first failure may be a lost connection, so its pause
// is short. A dead node is asked every half minute, a rate-limited one without a stated delay
// sooner.
const coolMsMax = 30_000
const rateLimitedCoolMsMax = 5_000
// Long enough for a node on a wrong branch to find the right one.
const distrustMs = 60_000
const latencyWeight = 0.1

const coolingKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unreachable',
  'timeout',
  'forbidden',
  'wrongNetwork',
  'malformed',
  'responseTooLarge',
])

type HealthOptions = {
  /** Index of the endpoint in the chain's `rpc` config, from 0. */
  index: number
  bucket: RateLimit | null
  coolMsFirst: number
}

export function createHealth({ index, bucket, coolMsFirst }: HealthOptions): Health {
  const summary: HealthSummary = {
    latencyMs: 0,
    failureCount: 0,
    rateLimitedCount: 0,
    faultCount: 0,
    lastError: null,
  }
  let failuresInRow = 0
  let coolUntilMs = 0
  let distrustUntilMs = 0

  /**
   * Doubles the pause. Requests that were in flight when failures began count as the same failure.
   */
  function cool(nowMs: number, msMax: number): void {
    if (coolUntilMs > nowMs) return
    coolUntilMs = nowMs + Math.min(msMax, coolMsFirst * 2 ** failuresInRow)
    failuresInRow += 1
  }

  return {
    onAnswer(durationMs) {
      failuresInRow = 0
      summary.latencyMs += (durationMs - summary.latencyMs) * latencyWeight
    },
    onError(error) {
      if (error.kind === 'aborted' || error.isOfContract) return
      summary.failureCount += 1
      summary.lastError = nodeFaultOf(error)
      const nowMs = Date.now()
      if (error.kind === 'rateLimited') {
        summary.rateLimitedCount += 1
        bucket?.drain(nowMs)
        if (error.retryAfterMs === undefined) cool(nowMs, rateLimitedCoolMsMax)
        else coolUntilMs = Math.max(coolUntilMs, nowMs + error.retryAfterMs)
      } else if (coolingKinds.has(error.kind)) cool(nowMs, coolMsMax)
    },
    onFault(fault) {
      summary.faultCount += 1
      summary.lastError = { summary: `endpoint ${index}: contradiction`, text: fault }
      distrustUntilMs = Date.now() + distrustMs
    },
    isCooling: (nowMs) => coolUntilMs > nowMs,
    isDistrusted: (nowMs) => distrustUntilMs > nowMs,
    distrustMs: (nowMs) => Math.max(0, distrustUntilMs - nowMs),
    coolingMs: (nowMs) => Math.max(0, coolUntilMs - nowMs),
    summary: () => ({ ...summary }),
  }
}
