import { messageBurstMin } from '../keys/plan.ts'

/** Token bucket of one socket's messages. */
export class MessageRate {
  #tokens = messageBurstMin
  #refilledMs: number

  constructor(nowMs: number) {
    this.#refilledMs = nowMs
  }

  /** Takes one message; false: too many. */
  take(messagesPerS: number, nowMs: number): boolean {
    const burst = Math.max(messageBurstMin, messagesPerS)
    // A clock that was set back gives nothing and takes nothing.
    const elapsedMs = Math.max(0, nowMs - this.#refilledMs)
    this.#tokens = Math.min(burst, this.#tokens + (elapsedMs * messagesPerS) / 1_000)
    this.#refilledMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
