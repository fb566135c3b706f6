// The service in several processes: a gateway's lag behind the log, throughput of the log, cost of
// a delivery as gateways are added, and start time of a gateway with a large market. `--parts
// lag,log,delivery,start` selects parts.
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

/**
 * `wanted`: names of parts; unknown names are ignored, and without a known name all parts run.
 * `sizes`: size of the market for `start`.
 */
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
