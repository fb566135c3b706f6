/** How fast the sockets of one key may subscribe together. */
export type PaceLimits = {
  /** Items that a key may subscribe at once, after a pause. */
  keyItemsBurst: number
  keyItemsPerS: number
  /** Nobody waits for longer, whatever was asked for at once. */
  paceMsMax: number
}

export const fixedPaceLimits: PaceLimits = {
  // More than almost anybody follows: who connects again does not wait.
  keyItemsBurst: 20_000,
  // A tenth of what the loop could do, so that others hardly notice.
  keyItemsPerS: 20_000,
  paceMsMax: 10_000,
}

// Keys whose time is over are forgotten when so many are noted.
const sweptSize = 1_000

/**
 * Each item that is subscribed makes garbage that outlives its request, and everybody waits while that is collected. So who has
 * subscribed a great deal is answered, and then not read from for a while.
 */
export class SubscriptionPace {
  readonly #limits: PaceLimits
  /** When what a key has subscribed is worked off. */
  readonly #untilMs = new Map<number, number>()
  #sweepAt = sweptSize

  constructor(limits: PaceLimits) {
    this.#limits = limits
  }

  /** Keys that are noted. */
  get size(): number {
    return this.#untilMs.size
  }

  /** Notes items that a key has subscribed: for so long nothing is read from the socket. */
  take(keyId: number, count: number, nowMs: number): number {
    const { keyItemsBurst, keyItemsPerS, paceMsMax } = this.#limits
    const perItemMs = 1_000 / keyItemsPerS
    const freeMs = nowMs + keyItemsBurst * perItemMs
    const untilMs = Math.max(this.#untilMs.get(keyId) ?? 0, nowMs) + count * perItemMs
    // Not beyond the bound, also where the clock was set back.
    this.#untilMs.set(keyId, Math.min(untilMs, freeMs + paceMsMax))
    if (this.#untilMs.size > this.#sweepAt) this.#sweep(nowMs)
    return Math.min(Math.max(0, untilMs - freeMs), paceMsMax)
  }

  #sweep(nowMs: number): void {
    for (const [keyId, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(keyId)
    this.#sweepAt = Math.max(sweptSize, this.#untilMs.size * 2)
  }
}
