// A busy chain with blocks at a fixed rate, and a service in roles that follows it.
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/support/until.ts'
import { startTipNode, type TipNode, writeBusyConfig } from '../tip/startTipNode.ts'
import {
  type ClusterService,
  type RoleProcess,
  startClusterService,
  untilLogged,
  untilReady,
} from './clusterService.ts'

export type BusyCluster = {
  service: ClusterService
  node: TipNode
  gateways: readonly RoleProcess[]
  /** Mines a block a second with this many swaps. Returns the block numbers. */
  mine(swaps: number, seconds: number): Promise<number[]>
  stop(): Promise<void>
}

const blockMs = 1_000

export async function startBusyCluster(gatewayCount: number): Promise<BusyCluster> {
  const node = await startTipNode()
  await node.prepare(1, { swaps: 0, logs: 0 })
  await node.mine()
  const service = await startClusterService({
    writeConfig: (dataDir, settings) => writeBusyConfig(dataDir, node, settings),
  })
  const indexer = await service.start('indexer')
  await untilLogged(indexer, 'Leads')
  const gateways: RoleProcess[] = []
  for (let left = gatewayCount; left > 0; left -= 1) gateways.push(await service.start('gateway'))
  await Promise.all(gateways.map(untilReady))
  return {
    service,
    node,
    gateways,
    async mine(swaps, seconds) {
      await node.prepare(seconds, { swaps, logs: swaps })
      const numbers: number[] = []
      const startMs = performance.now()
      for (let block = 0; block < seconds; block += 1) {
        const { number } = await node.mine()
        numbers.push(number)
        await delay(Math.max(0, startMs + (block + 1) * blockMs - performance.now()))
      }
      return numbers
    },
    async stop() {
      await service.stop()
      node.stop()
    },
  }
}

/** Waits until all mined blocks are in the map. */
export async function untilArrived(
  what: string,
  seen: ReadonlyMap<number, number>,
  numbers: readonly number[],
): Promise<void> {
  await until(what, () => numbers.every((number) => seen.has(number)))
}
