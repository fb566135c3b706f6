/** Rate limit on subscribing, over all sockets of a key. */
export type PaceLimits = {
  /** Items that a key may subscribe to at once, after a pause. */
  keyItemsBurst: number
  keyItemsPerS: number
  /** Longest pause in reading a socket, however many items it subscribed to at once. */
  paceMsMax: number
}

export const fixedPaceLimits: PaceLimits = {
  // More items than almost any client follows, so that a reconnecting client does not wait.
  keyItemsBurst: 20_000,
  // A tenth of what the event loop could handle, so that other clients hardly notice.
  keyItemsPerS: 20_000,
  paceMsMax: 10_000,
}

// Number of tracked keys at which idle keys are first removed.
const sweptSize = 1_000

/**
 * Slows down keys that subscribe to very many items: after the answer, their socket is not read for
 * a while. Each subscribed item leaves garbage that outlives its request, and collecting garbage
 * blocks the event loop for everyone.
 */
export class SubscriptionPace {
  readonly #limits: PaceLimits
  /** By key id: the time at which the key's recent subscriptions stop counting. */
  readonly #untilMs = new Map<number, number>()
  #sweepAt = sweptSize

  constructor(limits: PaceLimits) {
    this.#limits = limits
  }

  /** Number of tracked keys. */
  get size(): number {
    return this.#untilMs.size
  }

  /**
   * Records items that a key subscribed to. Returns for how many milliseconds the socket must not
   * be read.
   */
  take(keyId: number, count: number, nowMs: number): number {
    const { keyItemsBurst, keyItemsPerS, paceMsMax } = this.#limits
    const perItemMs = 1_000 / keyItemsPerS
    const freeMs = nowMs + keyItemsBurst * perItemMs
    const untilMs = Math.max(this.#untilMs.get(keyId) ?? 0, nowMs) + count * perItemMs
    // Capped, so that a clock that was set back causes no longer pause.
    this.#untilMs.set(keyId, Math.min(untilMs, freeMs + paceMsMax))
    if (this.#untilMs.size > this.#sweepAt) this.#sweep(nowMs)
    return Math.min(Math.max(0, untilMs - freeMs), paceMsMax)
  }

  #sweep(nowMs: number): void {
    for (const [keyId, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(keyId)
    this.#sweepAt = Math.max(sweptSize, this.#untilMs.size * 2)
  }
}
