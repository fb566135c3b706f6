// Cost of a delivery as gateways are added: the same trades, the same number of sockets for each
// gateway, CPU time of the gateways with sockets.
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchRow } from '../benchTable.ts'
import { cpuSecondsOf } from '../ws/jsonLineProcess.ts'
import { median } from '../ws/runClient.ts'
import { type BusyCluster, startBusyCluster, untilArrived } from './busyCluster.ts'
import { openTradeSockets } from './tradeSockets.ts'

const gatewaysMax = 3
const socketsEach = 25
const swapsPerS = 200
const rounds = 3
const seconds = 6
const warmSeconds = 10
const settleMs = 1_000

export async function measureDelivery(): Promise<BenchRow[]> {
  const cluster = await startBusyCluster(gatewaysMax)
  try {
    await round(cluster, gatewaysMax, warmSeconds)
    const costs: number[][] = Array.from({ length: gatewaysMax }, () => [])
    for (let left = rounds; left > 0; left -= 1)
      for (let count = 1; count <= gatewaysMax; count += 1)
        costs[count - 1]!.push(await round(cluster, count, seconds))
    return rowsOf(costs.map(median))
  } finally {
    await cluster.stop()
  }
}

/** CPU time of a delivery in microseconds. */
async function round(cluster: BusyCluster, count: number, forSeconds: number): Promise<number> {
  const used = cluster.gateways.slice(0, count)
  const clients = await Promise.all(
    used.map(({ address }) => openTradeSockets(address, socketsEach)),
  )
  const cpuS = () => used.reduce((sum, { child }) => sum + cpuSecondsOf(child.pid!), 0)
  const before = cpuS()
  const numbers = await cluster.mine(swapsPerS, forSeconds)
  for (const { blocksMs } of clients) await untilArrived('every block is pushed', blocksMs, numbers)
  await delay(settleMs)
  const tookS = cpuS() - before
  const deliveries = clients.reduce((sum, client) => sum + client.deliveries(), 0)
  for (const client of clients) client.close()
  return (1e6 * tookS) / deliveries
}

function rowsOf(costs: readonly number[]): BenchRow[] {
  return costs.map((cost, index) => ({
    metric: `${index + 1} gateway${index === 0 ? '' : 's'} with ${socketsEach} sockets each, ${swapsPerS} swaps/s: processor time of a delivery, following the log included; against one gateway`,
    value: `${cost.toFixed(1)} µs; ${(cost / costs[0]!).toFixed(2)}x`,
    ...(index === 0 ? {} : { goal: 'within 15 %' }),
  }))
}
