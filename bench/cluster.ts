// The service in several processes: how far a gateway is behind the log, what the log takes, what a delivery costs as gateways are added, and how
// long a gateway of a large market takes to start. `--parts lag,log,delivery,start`: some of it.
import { loadavg } from 'node:os'
import type { BenchRow, BenchTable } from './benchTable.ts'
import { measureDelivery } from './cluster/delivery.ts'
import { measureLag } from './cluster/lag.ts'
import { measureLogThroughput } from './cluster/logThroughput.ts'
import { measureStart } from './cluster/start.ts'
import type { KnownSizes } from './known/market.ts'

const parts: Record<string, (sizes: KnownSizes) => Promise<BenchRow[]>> = {
  lag: measureLag,
  log: measureLogThroughput,
  delivery: measureDelivery,
  start: measureStart,
}

/** `wanted`: names of parts among others; none of ours: all of them. `sizes`: of the market that `start` loads. */
export async function runClusterBench(
  wanted: readonly string[],
  sizes: KnownSizes,
): Promise<BenchTable> {
  const names = Object.keys(parts)
  const chosen = names.filter((name) => wanted.includes(name))
  const loads = [loadavg()[0]!]
  const rows: BenchRow[] = []
  for (const name of chosen.length > 0 ? chosen : names) {
    rows.push(...(await parts[name]!(sizes)))
    loads.push(loadavg()[0]!)
  }
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1))
  return { name: `cluster, load ${least} to ${most}`, rows }
}
