import { numbersApart } from '../../../model/block.ts'
import type { Clock } from '../../gatewayChain.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { FeedLimits } from '../feedLimits.ts'

type Wait = { market: ChainMarket; number: number; untilMs: number; resolve: () => void }

/**
 * Subscriptions whose cursor is slightly ahead of this server. The cursor came from a server
 * further ahead, or from this one before a crash, because blocks are pushed before they are stored.
 */
export class CursorsAhead {
  private readonly waits = new Set<Wait>()
  private readonly clock: Clock
  private readonly limits: Pick<FeedLimits, 'aheadWaitMsMax' | 'historyWaitsMax'>

  constructor(clock: Clock, limits: Pick<FeedLimits, 'aheadWaitMsMax' | 'historyWaitsMax'>) {
    this.clock = clock
    this.limits = limits
  }

  /**
   * Resolves when the chain reaches the block number, or when the wait times out. Null: there is
   * nothing to wait for.
   */
  until(market: ChainMarket, number: number): Promise<void> | null {
    const { reads, profile } = market.chain
    const head = reads.head()
    if (head === null || number <= head.number) return null
    if (numbersApart(head.number, number) > profile.reorgDepthMax) return null
    if (this.waits.size >= this.limits.historyWaitsMax) return null
    const untilMs = this.clock.nowMs() + this.limits.aheadWaitMsMax
    return new Promise((resolve) => this.waits.add({ market, number, untilMs, resolve }))
  }

  /** Called when a block was committed. Ends the waits for its number. */
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
