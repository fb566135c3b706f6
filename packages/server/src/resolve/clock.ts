import { setTimeout as sleep } from 'node:timers/promises'

/** Time as a stage sees it; tests bring their own. */
export type Clock = {
  nowMs(): number
  /** Ends early, without an error, when the signal fires. */
  sleep(delayMs: number, signal?: AbortSignal | undefined): Promise<void>
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  async sleep(delayMs, signal) {
    await sleep(delayMs, undefined, signal ? { signal, ref: false } : { ref: false }).catch(
      (error: unknown) => {
        if (!signal?.aborted) throw error
      },
    )
  },
}
