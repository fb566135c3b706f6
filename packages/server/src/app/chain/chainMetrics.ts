import type { Engine } from '../../engine/engine.ts'
import type { EndpointStats } from '../../kinds/intake.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { UnclaimedProgram } from '../../model/unclaimed.ts'
import type { PipelineProgress } from '../pipeline/chainPipeline.ts'

/** Exports what a chain's thread reports, and how its nodes serve API callers. */
export function createProgressMetrics(
  metrics: Metrics,
  chain: string,
): (progress: PipelineProgress, answering: readonly EndpointStats[]) => void {
  const counted = new Map<string, number>()
  let programsBefore: readonly UnclaimedProgram[] = []
  let logsBefore = 0
  const showEndpoints = createRpcMetrics(metrics, chain, 'index')
  const showAnswering = createRpcMetrics(metrics, chain, 'answers')
  return (progress, answering) => {
    const { headNumber, dropped, unknownBalances, lateTokens, openHistories } = progress
    const logs = progress.unclaimedLogs?.total ?? 0
    metrics.unclaimedLogsTotal.inc({ chain }, logs - logsBefore)
    logsBefore = logs
    metrics.tipBlock.set({ chain }, headNumber)
    metrics.unknownBalances.set({ chain }, unknownBalances)
    metrics.unknownPools.set({ chain }, progress.unknownPools)
    metrics.lateTokens.set({ chain }, lateTokens)
    metrics.openHistories.set({ chain }, openHistories)
    metrics.notPools.set({ chain }, progress.notPools)
    for (const { program } of programsBefore) metrics.unclaimedShare.remove({ chain, program })
    programsBefore = progress.unclaimed ?? []
    for (const { program, share } of programsBefore)
      metrics.unclaimedShare.set({ chain, program }, share)
    showEndpoints(progress.endpoints)
    showAnswering(answering)
    for (const [reason, count] of Object.entries(dropped)) {
      metrics.droppedTotal.inc({ chain, reason }, count - (counted.get(reason) ?? 0))
      counted.set(reason, count)
    }
  }
}

/** Exports the position and size of a chain's market. */
export function createMarketMetrics(
  metrics: Metrics,
  engine: Pick<Engine, 'pairCount' | 'tokenCount' | 'residentBytes'>,
  clock: { nowMs(): number },
): EntryConsumer {
  return {
    name: 'metrics',
    onApplied({ chain, entry }) {
      if (entry.type === 'revert') metrics.revertsTotal.inc({ chain })
      if (entry.type !== 'commit') return
      const { ref, receivedMs } = entry.block
      metrics.blockToMarketMs.observe({ chain }, clock.nowMs() - receivedMs)
      metrics.blocksTotal.inc({ chain })
      metrics.pairsAlive.set({ chain }, engine.pairCount())
      metrics.tokensAlive.set({ chain }, engine.tokenCount())
      metrics.marketResidentBytes.set({ chain }, engine.residentBytes())
      metrics.headBlock.set({ chain }, ref.number)
      metrics.headTimeS.set({ chain }, ref.timeS)
    },
  }
}

/** `index`: requests for blocks and what they need. `answers`: requests made for API callers. */
type RpcUse = 'index' | 'answers'

/**
 * Exports request counts of a chain's endpoints, labeled by their position in `rpc`. Takes running
 * totals and adds the growth to counters.
 */
function createRpcMetrics(
  metrics: Metrics,
  chain: string,
  use: RpcUse,
): (tallies: readonly EndpointStats[]) => void {
  const shown = new Map<string, number>()

  function grownBy(key: string, total: number): number {
    const grown = total - (shown.get(key) ?? 0)
    shown.set(key, total)
    return grown
  }

  return (tallies) => {
    for (const [place, { isHealthy, latencyMs, outcomes, hedges, faults }] of tallies.entries()) {
      const endpoint = String(place)
      const labels = { chain, use, endpoint }
      metrics.rpcHealthyState.set(labels, isHealthy ? 1 : 0)
      metrics.rpcLatencyMs.set(labels, latencyMs)
      metrics.rpcHedgesTotal.inc(labels, grownBy(`${endpoint} hedges`, hedges))
      metrics.rpcFaultsTotal.inc(labels, grownBy(`${endpoint} faults`, faults))
      for (const [outcome, calls] of Object.entries(outcomes))
        metrics.rpcCallsTotal.inc({ ...labels, outcome }, grownBy(`${endpoint} ${outcome}`, calls))
    }
  }
}
