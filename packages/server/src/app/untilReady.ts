import { setTimeout as delay } from 'node:timers/promises'
import type { Chains } from './chains/chains.ts'

export type UntilReadyOptions = {
  chains: Pick<Chains, 'isComplete' | 'isServing' | 'isMining'>
  /** Called again and again while it waits. */
  onWait?: (() => void) | undefined
  signal: AbortSignal
  /** Time to wait. Nodes that are down, or a slow local chain, must not hide what can be used already. */
  patienceMs: number
}

const pollMs = 50

/** True when every chain is ready, or that takes too long; false when the signal came first. */
export async function untilReady(options: UntilReadyOptions): Promise<boolean> {
  const { chains, signal, patienceMs } = options
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
