import type { MarketReads } from '../../engine/marketReads.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { EntryConsumer } from '../../model/appliedEntry.ts'

/** Shows how far a chain's market is. */
export function createMarketMetrics(
  metrics: Metrics,
  engine: Pick<MarketReads, 'pairCount' | 'tokenCount'>,
  clock: { nowMs(): number },
): EntryConsumer {
  return {
    name: 'metrics',
    applied({ chain, entry }) {
      if (entry.type === 'revert') metrics.revertsTotal.inc({ chain })
      if (entry.type !== 'commit') return
      const { ref, receivedMs } = entry.block
      metrics.blockToMarketMs.observe({ chain }, clock.nowMs() - receivedMs)
      metrics.blocksTotal.inc({ chain })
      metrics.pairsAlive.set({ chain }, engine.pairCount())
      metrics.tokensAlive.set({ chain }, engine.tokenCount())
      metrics.headBlock.set({ chain }, ref.number)
      metrics.headTimeS.set({ chain }, ref.timeS)
    },
  }
}
