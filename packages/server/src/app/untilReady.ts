import { setTimeout as delay } from 'node:timers/promises'
import type { GatewayChains } from '../gateway/gatewayChain.ts'

const pollMs = 50

/** True when every chain has applied a block and caught up with its nodes; false when the signal came first. */
export async function untilReady(chains: GatewayChains, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const all = [...chains.values()]
    if (all.length > 0 && all.every(({ reads, status }) => isReady(reads.head(), status().state)))
      return true
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}

function isReady(head: unknown, state: string): boolean {
  return head !== null && (state === 'live' || state === 'backfill')
}
