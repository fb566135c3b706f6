import type { Metrics } from '../../../lib/metrics.ts'
import type { GatewayChains } from '../../chain/gatewayChain.ts'
import type { Scheduler } from '../../ground/scheduler.ts'

/** GET /metrics. State metrics are updated here, so that idle chains report current values too. */
export async function metricsText(
  { registry, ...metrics }: Metrics,
  chains: GatewayChains,
  scheduler: Scheduler,
): Promise<string> {
  for (const [chain, { reads, status }] of chains) {
    const head = reads.head()
    const now = status()
    if (head !== null) {
      metrics.headBlock.set({ chain }, head.number)
      metrics.headTimeS.set({ chain }, head.timeS)
    }
    if (now.tipNumber !== null) metrics.tipBlock.set({ chain }, now.tipNumber)
    if (now.persistedNumber !== null) metrics.persistedBlock.set({ chain }, now.persistedNumber)
    metrics.queueBlocks.set({ chain }, now.queueBlocks)
    metrics.pausedState.set({ chain }, now.pausedReason === null ? 0 : 1)
    metrics.pairsAlive.set({ chain }, reads.pairCount())
    metrics.tokensAlive.set({ chain }, reads.tokenCount())
  }
  // Encoded in slices, because hundreds of series per chain and route exceed one scheduler slot.
  const place = scheduler.newPosition()
  const texts: string[] = []
  for (const { name } of registry.getMetricsAsArray()) {
    if (scheduler.isSlotOver()) await scheduler.nextSlot(place)
    texts.push(await registry.getSingleMetricAsString(name))
  }
  return `${texts.join('\n\n')}\n`
}
