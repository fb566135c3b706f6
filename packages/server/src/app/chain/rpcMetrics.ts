import type { Metrics } from '../../lib/metrics.ts'
import type { EndpointTally } from '../pipeline/intake.ts'

/** `index`: reads blocks and what they need; `answers`: what API callers ask of the nodes. */
export type RpcUse = 'index' | 'answers'

/** Shows how a chain's endpoints do. Takes totals; what they have grown by is counted. */
export function createRpcMetrics(
  metrics: Metrics,
  chain: string,
  use: RpcUse,
): (tallies: readonly EndpointTally[]) => void {
  const shown = new Map<string, number>()

  function grownBy(key: string, total: number): number {
    const grown = total - (shown.get(key) ?? 0)
    shown.set(key, total)
    return grown
  }

  return (tallies) => {
    for (const { name: endpoint, isHealthy, latencyMs, outcomes, hedges, faults } of tallies) {
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
