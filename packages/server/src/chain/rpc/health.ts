import type { NodeFault } from '../../model/block.ts'
import { nodeFaultOf, type RpcError, type RpcErrorKind } from '../errors.ts'
import type { RateLimit } from './rateLimit.ts'

/** How well one node has behaved lately. */
export type Health = {
  onAnswer(durationMs: number): void
  onError(error: RpcError): void
  onFault(fault: string): void
  isCooling(nowMs: number): boolean
  isDistrusted(nowMs: number): boolean
  /** Until it is trusted again; 0: it is. */
  distrustMs(nowMs: number): number
  /** Until it is worth asking again after failures. */
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

// A first failure may be a lost connection, so it costs little; a dead node is asked every half minute, one that had enough
// of us and does not say for how long sooner.
const coolMsMax = 30_000
const rateLimitedCoolMsMax = 5_000
// Long enough that a node on a wrong branch has found the right one.
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
  /** Place of the endpoint in `rpc`, from 0. */
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

  /** Twice as long as the last time. Requests that were under way when it began to fail are of the same failure. */
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
