import { setTimeout as delay } from 'node:timers/promises'
import type { Chains } from './chains/chains.ts'

export type UntilReadyOptions = {
  chains: Pick<Chains, 'isComplete' | 'isServing' | 'isMining'>
  /** Called again and again while it waits. */
  onWait?: (() => void) | undefined
  signal: AbortSignal
  /**
   * A slow machine still mines history of the local chain then, or the nodes of a chain are down: what there is can be
   * used all the same. @default 45 s
   */
  patienceMs?: number
}

const pollMs = 50
const patienceMsDefault = 45_000

/** True when every chain is ready, or that takes too long; false when the signal came first. */
export async function untilReady(options: UntilReadyOptions): Promise<boolean> {
  const { chains, signal, patienceMs = patienceMsDefault } = options
  const startMs = performance.now()
  while (!signal.aborted) {
    if (chains.isComplete()) return true
    // The local chain comes; nodes of others may be down for hours, and the banner says so.
    const isToWaitFor = chains.isMining() && !chains.isServing()
    if (!isToWaitFor && performance.now() - startMs > patienceMs) return true
    options.onWait?.()
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}
