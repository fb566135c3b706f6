export type TokenBucketOptions = {
  /** Tokens that come back each second. */
  perSecond: number
  /** Tokens that can be saved up. @default perSecond */
  burst?: number | undefined
}

/** Spreads calls over time. Tokens may be taken in advance: the taker waits until they would have come. */
export type TokenBucket = {
  /** Takes tokens and says how long to wait before using them. */
  take(count: number, nowMs: number): number
  /** How long a taker of so many tokens would wait. */
  waitMs(count: number, nowMs: number): number
  /** Tokens that were taken and not used. Who waits already is not told. */
  giveBack(count: number, nowMs: number): void
  /** The other side says it had enough: start again from nothing. */
  drain(nowMs: number): void
}

export function createTokenBucket(options: TokenBucketOptions): TokenBucket {
  const { perSecond } = options
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
      return waitFor(-tokens)
    },
    waitMs(count, nowMs) {
      refill(nowMs)
      return waitFor(count - tokens)
    },
    giveBack(count, nowMs) {
      refill(nowMs)
      tokens = Math.min(burst, tokens + count)
    },
    drain(nowMs) {
      refill(nowMs)
      tokens = Math.min(tokens, 0)
    },
  }
}
