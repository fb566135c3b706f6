import type { Metrics } from '../lib/metrics.ts'
import type { PipelineProgress } from './chainPipeline.ts'

/** Shows what a chain's thread tells of itself. */
export function createProgressMetrics(
  metrics: Metrics,
  chain: string,
): (progress: PipelineProgress) => void {
  const counted = new Map<string, number>()
  return ({ headNumber, dropped, unknownBalances }) => {
    metrics.tipBlock.set({ chain }, headNumber)
    metrics.unknownBalances.set({ chain }, unknownBalances)
    for (const [reason, count] of Object.entries(dropped)) {
      metrics.droppedTotal.inc({ chain, reason }, count - (counted.get(reason) ?? 0))
      counted.set(reason, count)
    }
  }
}
