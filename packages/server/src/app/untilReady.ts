import { setTimeout as delay } from 'node:timers/promises'
import type { Chains } from './chains.ts'

const pollMs = 50
// A slow machine still mines history of the local chain then; its market can be used all the same.
const patienceMs = 45_000

/** True when there is a market to look at, with its history unless that takes too long; false when the signal came first. */
export async function untilReady(chains: Chains, signal: AbortSignal): Promise<boolean> {
  const startMs = performance.now()
  while (!signal.aborted) {
    if (chains.isComplete()) return true
    if (chains.isServing() && performance.now() - startMs > patienceMs) return true
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}
