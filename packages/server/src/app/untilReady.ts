import { setTimeout as delay } from 'node:timers/promises'
import type { Chains } from './roles/chains.ts'

export type UntilReadyOptions = {
  chains: Pick<Chains, 'isComplete' | 'isServing' | 'isMining'>
  /** Called repeatedly while waiting. */
  onWait?: (() => void) | undefined
  signal: AbortSignal
  /**
   * Maximum time to wait. Nodes that are down, or a slow local chain, must not keep users from what
   * works already.
   */
  patienceMs: number
}

const pollMs = 50

/**
 * Resolves with true when every chain is ready or the wait times out; false: the signal aborted
 * first.
 */
export async function untilReady(options: UntilReadyOptions): Promise<boolean> {
  const { chains, signal, patienceMs } = options
  const startMs = performance.now()
  while (!signal.aborted) {
    if (chains.isComplete()) return true
    // The local chain is certain to come up, so wait for it. Nodes of other chains may be down for
    // hours; the banner reports them.
    const isToWaitFor = chains.isMining() && !chains.isServing()
    if (!isToWaitFor && performance.now() - startMs > patienceMs) return true
    options.onWait?.()
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}
