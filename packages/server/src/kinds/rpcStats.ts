import type { Rpc } from '../chain/rpc/rpc.ts'
import type { RpcMetric } from '../chain/rpc/rpcCall.ts'
import type { EndpointStats } from './intake.ts'

type RpcStats = {
  onMetric(metric: RpcMetric): void
  read(rpc: Pick<Rpc, 'status'>): EndpointStats[]
}

/** Counts the calls to a chain's endpoints by outcome, starting from earlier counts. */
export function createRpcStats(before: readonly EndpointStats[] = []): RpcStats {
  const counted = new Map<string, Pick<EndpointStats, 'outcomes' | 'hedges' | 'faults'>>(
    before.map(({ name, outcomes, hedges, faults }) => [
      name,
      { outcomes: { ...outcomes }, hedges, faults },
    ]),
  )

  function countsOf(endpoint: string) {
    const counts = counted.get(endpoint) ?? { outcomes: {}, hedges: 0, faults: 0 }
    counted.set(endpoint, counts)
    return counts
  }

  return {
    onMetric(metric) {
      const counts = countsOf(metric.endpoint)
      if (metric.type === 'hedge') counts.hedges += 1
      else if (metric.type === 'fault') counts.faults += 1
      else
        for (const [outcome, calls] of Object.entries(metric.outcomes))
          counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + calls
    },
    read: (rpc) =>
      rpc.status().map(({ name, isHealthy, latencyMs, lastError, rateWaitMs }) => {
        const { outcomes, ...counts } = countsOf(name)
        const health = { name, isHealthy, latencyMs, lastError, rateWaitMs }
        return { ...health, outcomes: { ...outcomes }, ...counts }
      }),
  }
}
