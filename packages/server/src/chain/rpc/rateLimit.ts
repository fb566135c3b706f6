export type RateLimitOptions = {
  /** Tokens that come back each second. */
  perSecond: number
  /** Tokens that can be saved up. @default perSecond */
  burst?: number | undefined
  /** Its tokens are taken, too. @default none */
  parent?: RateLimit | undefined
}

/** Limits of endpoints that are asked for several purposes, by URL. */
export type EndpointRates = Map<string, RateLimit>

/** Spreads calls over time. Tokens may be taken in advance: the taker waits until they would have come. */
export type RateLimit = {
  /** Takes tokens and says how long to wait before using them. */
  take(count: number, nowMs: number): number
  /** How long a taker of so many tokens would wait. */
  waitMs(count: number, nowMs: number): number
  /** Returns tokens that were not used. Callers that wait already wait on. */
  giveBack(count: number, nowMs: number): void
  /** The other side says it had enough: start again from nothing. */
  drain(nowMs: number): void
}

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perSecond, parent } = options
  const burst = Math.max(1, options.burst ?? perSecond)
  let tokens = burst
  let refilledAtMs: number | null = null

  function refill(nowMs: number): void {
    // A clock that went back gives nothing and takes nothing.
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

// Others go first for so long: where they take all there is, work in the background still comes to its end.
const yieldMsMax = 5_000

/** Takes tokens and waits until they may be used. False: no longer wanted, and nothing was taken. */
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

/** Without a place in the queue: callers that come meanwhile are served first. */
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
