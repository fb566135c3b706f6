// The service in several processes: how far a gateway is behind the log, what the log takes, and what a delivery costs as gateways are added.
// `--parts lag,log,delivery`: some of it.
import { loadavg } from 'node:os'
import type { BenchRow, BenchTable } from './benchTable.ts'
import { measureDelivery } from './cluster/delivery.ts'
import { measureLag } from './cluster/lag.ts'
import { measureLogThroughput } from './cluster/logThroughput.ts'

const parts = {
  lag: measureLag,
  log: measureLogThroughput,
  delivery: measureDelivery,
}
export type ClusterPart = keyof typeof parts

/** `wanted`: names of parts among others; none of ours: all of them. */
export async function runClusterBench(wanted: readonly string[]): Promise<BenchTable> {
  const names = Object.keys(parts) as ClusterPart[]
  const chosen = names.filter((name) => wanted.includes(name))
  const loads = [loadavg()[0]!]
  const rows: BenchRow[] = []
  for (const name of chosen.length > 0 ? chosen : names) {
    rows.push(...(await parts[name]()))
    loads.push(loadavg()[0]!)
  }
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1))
  return { name: `cluster, load ${least} to ${most}`, rows }
}
