import { setTimeout as delay } from 'node:timers/promises'
import type { Chains } from './chains/chains.ts'

export type UntilReadyOptions = {
  chains: Pick<Chains, 'isComplete' | 'isServing'>
  signal: AbortSignal
  /**
   * A slow machine still mines history of the local chain then, or the nodes of a chain are down: what there is can be
   * used all the same. @default 45 s
   */
  patienceMs?: number
}

const pollMs = 50
const patienceMsDefault = 45_000

/** True when there is a market to look at, all of it unless that takes too long; false when the signal came first. */
export async function untilReady(options: UntilReadyOptions): Promise<boolean> {
  const { chains, signal, patienceMs = patienceMsDefault } = options
  const startMs = performance.now()
  while (!signal.aborted) {
    if (chains.isComplete()) return true
    if (chains.isServing() && performance.now() - startMs > patienceMs) return true
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}
