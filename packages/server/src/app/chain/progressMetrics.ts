import type { Metrics } from '../../lib/metrics.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'
import type { EndpointTally } from '../pipeline/intake.ts'
import { createRpcMetrics } from './rpcMetrics.ts'

/** Shows what a chain's thread tells of itself, and how the nodes do for callers. */
export function createProgressMetrics(
  metrics: Metrics,
  chain: string,
): (progress: PipelineProgress, answering: readonly EndpointTally[]) => void {
  const counted = new Map<string, number>()
  const showEndpoints = createRpcMetrics(metrics, chain, 'index')
  const showAnswering = createRpcMetrics(metrics, chain, 'answers')
  return (progress, answering) => {
    const { headNumber, dropped, unknownBalances, lateTokens, openHistories } = progress
    metrics.tipBlock.set({ chain }, headNumber)
    metrics.unknownBalances.set({ chain }, unknownBalances)
    metrics.unknownPools.set({ chain }, progress.unknownPools)
    metrics.lateTokens.set({ chain }, lateTokens)
    metrics.openHistories.set({ chain }, openHistories)
    metrics.notPools.set({ chain }, progress.notPools)
    showEndpoints(progress.endpoints)
    showAnswering(answering)
    for (const [reason, count] of Object.entries(dropped)) {
      metrics.droppedTotal.inc({ chain, reason }, count - (counted.get(reason) ?? 0))
      counted.set(reason, count)
    }
  }
}
