import { type Clock, type GatewayChain, nowSOf } from '../../gatewayChain.ts'
import type { Pause } from '../../turns/runInSlices.ts'

/** Resolves when the chain's trending order can be read at once; with false when the work so far is void. */
export async function trendingReady(
  chain: GatewayChain,
  clock: Clock,
  pause: Pause,
): Promise<boolean> {
  while (chain.reads.prepareTrending(nowSOf(chain, clock)) === 'none') {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return false
  }
  return true
}
