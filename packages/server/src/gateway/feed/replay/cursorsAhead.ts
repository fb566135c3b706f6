import { numbersApart } from '../../../model/block.ts'
import type { Clock } from '../../gatewayChain.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { FeedLimits } from '../feedLimits.ts'

type Wait = { market: ChainMarket; number: number; untilMs: number; resolve: () => void }

/**
 * Readers whose cursor is a little ahead of this server: it came from one that was further, or from this one before it
 * was killed, which pushes blocks before they are stored.
 */
export class CursorsAhead {
  private readonly waits = new Set<Wait>()
  private readonly clock: Clock
  private readonly limits: Pick<FeedLimits, 'aheadWaitMsMax' | 'historyWaitsMax'>

  constructor(clock: Clock, limits: Pick<FeedLimits, 'aheadWaitMsMax' | 'historyWaitsMax'>) {
    this.clock = clock
    this.limits = limits
  }

  /** Resolves when the market has a block of this number, or has none in time; null: nothing to wait for. */
  until(market: ChainMarket, number: number): Promise<void> | null {
    const { reads, profile } = market.chain
    const head = reads.head()
    if (head === null || number <= head.number) return null
    if (numbersApart(head.number, number) > profile.reorgDepthMax) return null
    if (this.waits.size >= this.limits.historyWaitsMax) return null
    const untilMs = this.clock.nowMs() + this.limits.aheadWaitMsMax
    return new Promise((resolve) => this.waits.add({ market, number, untilMs, resolve }))
  }

  /** A block was added. */
  applied(market: ChainMarket): void {
    if (this.waits.size === 0) return
    const headNumber = market.chain.reads.head()?.number ?? -1
    this.end((wait) => wait.market === market && wait.number <= headNumber)
  }

  tick(nowMs: number): void {
    this.end(({ untilMs }) => untilMs <= nowMs)
  }

  private end(isOver: (wait: Wait) => boolean): void {
    for (const wait of this.waits) {
      if (!isOver(wait)) continue
      this.waits.delete(wait)
      wait.resolve()
    }
  }
}
