// A gateway's lag: from the moment NATS delivers a block's entry to the last push of its trades at
// a client. This process takes both times, so there is one clock.
import { setTimeout as delay } from 'node:timers/promises'
import { type BenchRow, countText } from '../benchTable.ts'
import { type BusyCluster, startBusyCluster, untilArrived } from './busyCluster.ts'
import { openTradeSockets, type TradeSockets } from './tradeSockets.ts'
import { type LogWatch, watchLog } from './watchLog.ts'

const warmSeconds = 10
const seconds = 30
const rates = [200, 2_000]
// Time for a block's remaining pushes after its first ones arrived.
const settleMs = 1_000

export async function measureLag(): Promise<BenchRow[]> {
  const cluster = await startBusyCluster(1)
  try {
    const log = await watchLog(cluster.service.nats.urls)
    const client = await openTradeSockets(cluster.gateways[0]!.address, 1)
    const rows: BenchRow[] = []
    for (const rate of rates) rows.push(await rowOf(rate, cluster, { log, client }))
    client.close()
    await log.close()
    return rows
  } finally {
    await cluster.stop()
  }
}

async function rowOf(
  rate: number,
  cluster: BusyCluster,
  { log, client }: { log: LogWatch; client: TradeSockets },
): Promise<BenchRow> {
  await cluster.mine(rate, warmSeconds)
  const numbers = await cluster.mine(rate, seconds)
  await untilArrived('every block is pushed', client.blocksMs, numbers)
  await delay(settleMs)
  const lags = numbers
    .map((number) => client.blocksMs.get(number)! - log.blocksMs.get(number)!)
    .sort((a, b) => a - b)
  const at = (share: number) => `${lags[Math.floor((lags.length - 1) * share)]!.toFixed(1)} ms`
  return {
    metric: `${countText(rate)} swaps/s, ${seconds} blocks: from an entry in the log to the last push of its block, p50; p99`,
    value: `${at(0.5)}; ${at(0.99)}`,
  }
}
