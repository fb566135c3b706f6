type RateLimitOptions = {
  /** Tokens refilled per second. */
  perSecond: number
  /** Capacity of the token bucket. @default perSecond */
  burst?: number | undefined
  /** A limit whose tokens are taken as well. @default none */
  parent?: RateLimit | undefined
}

/** Rate limits by URL, for endpoints that several users share. */
export type EndpointRates = Map<string, RateLimit>

/**
 * Token bucket that spreads calls over time. Tokens may be taken in advance: the caller waits until
 * they would be refilled.
 */
export type RateLimit = {
  /** Takes tokens and returns how long to wait before using them. */
  take(count: number, nowMs: number): number
  /** Returns how long a caller would wait for `count` tokens. */
  waitMs(count: number, nowMs: number): number
  /** Returns unused tokens. Callers that are already waiting do not start earlier. */
  giveBack(count: number, nowMs: number): void
  /** Empties the bucket after the provider reported too many calls. */
  drain(nowMs: number): void
}

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perSecond, parent } = options
  const burst = Math.max(1, options.burst ?? perSecond)
  let tokens = burst
  let refilledAtMs: number | null = null

  function refill(nowMs: number): void {
    // A clock that went backwards neither adds nor removes tokens.
    const elapsedMs = refilledAtMs === null ? 0 : Math.max(0, nowMs - refilledAtMs)
    tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / 1_000)
    refilledAtMs = nowMs
  }

  function waitFor(missing: number): number {
    return missing <= 0 ? 0 : Math.ceil((missing * 1_000) / perSecond)
  }

  return {
    take(count, nowMs) {
      refill(nowMs)
      tokens -= count
      return Math.max(waitFor(-tokens), parent?.take(count, nowMs) ?? 0)
    },
    waitMs(count, nowMs) {
      refill(nowMs)
      return Math.max(waitFor(count - tokens), parent?.waitMs(count, nowMs) ?? 0)
    },
    giveBack(count, nowMs) {
      refill(nowMs)
      tokens = Math.min(burst, tokens + count)
      parent?.giveBack(count, nowMs)
    },
    drain(nowMs) {
      refill(nowMs)
      tokens = Math.min(tokens, 0)
      parent?.drain(nowMs)
    },
  }
}

// Background work yields to other requests for at most this time, so that it finishes even under
// full load.
const yieldMsMax = 5_000

/** Takes tokens and waits until they may be used. False if aborted; then no token was taken. */
export async function awaitTokens(
  bucket: RateLimit,
  { count, isBackground }: { count: number; isBackground: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  if (isBackground && !(await untilFree(bucket, count, signal))) return false
  if (signal.aborted) return false
  const waitMs = bucket.take(count, Date.now())
  if (waitMs === 0) return true
  const isUp = await isPassed(waitMs, signal)
  if (!isUp) bucket.giveBack(count, Date.now())
  return isUp
}

/** Waits without a place in the queue: callers that arrive in the meantime are served first. */
async function untilFree(bucket: RateLimit, count: number, signal: AbortSignal): Promise<boolean> {
  for (let yieldedMs = 0; yieldedMs < yieldMsMax; ) {
    const waitMs = bucket.waitMs(count, Date.now())
    if (waitMs === 0) return true
    if (!(await isPassed(waitMs, signal))) return false
    yieldedMs += waitMs
  }
  return true
}

function isPassed(waitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const onAbort = () => end(false)
    const timer = setTimeout(() => end(true), waitMs)
    function end(isUp: boolean): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(isUp)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
