import { type Clock, type GatewayChain, type GatewayChains, nowSOf } from '../../gatewayChain.ts'
import type { Pause } from '../../turns/runInSlices.ts'
import type { Turns } from '../../turns/turns.ts'

type TrendingKeeperOptions = {
  chains: GatewayChains
  clock: Clock
  turns: Turns
  /** How often to look whether an order is due. @default 1_000 */
  everyMs?: number
}

/** Makes the trending orders of all chains before they are asked for, so that no request has to wait for one. */
type TrendingKeeper = {
  /** Makes what is due now. */
  keep(): Promise<void>
  start(): void
  stop(): void
}

export function createTrendingKeeper(options: TrendingKeeperOptions): TrendingKeeper {
  const { chains, clock, turns, everyMs = 1_000 } = options
  let timer: NodeJS.Timeout | null = null
  let underWay: Promise<void> | null = null

  async function keepAll(): Promise<void> {
    for (const chain of [...chains.values()]) await keepOne(chain)
  }

  async function keepOne(chain: GatewayChain): Promise<void> {
    while (chain.reads.head() !== null && isServed(chain)) {
      if (chain.reads.prepareTrending(nowSOf(chain, clock)) === 'fresh') return
      // A place of its own for each step: requests that came before it need not wait for all of them.
      await turns.next(turns.place())
    }
  }

  const isServed = (chain: GatewayChain) => chains.get(chain.profile.name) === chain

  function keep(): Promise<void> {
    underWay ??= keepAll().finally(() => {
      underWay = null
    })
    return underWay
  }

  return {
    keep,
    start() {
      timer ??= setInterval(() => void keep(), everyMs).unref()
    },
    stop() {
      if (timer !== null) clearInterval(timer)
      timer = null
    },
  }
}

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
