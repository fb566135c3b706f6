import { Counter, type Metric, type Registry } from 'prom-client'

/** Counts and durations of answered requests, by route and status. */
type RequestMetrics = {
  answered(route: string, method: string, status: number, elapsedMs: number): void
}

type RequestMetricsOptions = { registry: Registry; bucketsMs: readonly number[] }

type OfRoute = {
  /** By method, then by status. */
  counts: Map<string, Map<number, number>>
  /** Answers within each bound and above the previous one; the last has those above all bounds. */
  buckets: number[]
  sumMs: number
}

/**
 * Counted as plain numbers and labeled when they are read: labels for every request cost more than
 * checking its key.
 */
export function createRequestMetrics(options: RequestMetricsOptions): RequestMetrics {
  const { registry, bucketsMs } = options
  const routes = new Map<string, OfRoute>()
  const requests = new Counter({
    name: 'chaintape_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [route, { counts }] of routes)
        for (const [method, byStatus] of counts)
          for (const [status, count] of byStatus) requests.inc({ method, route, status }, count)
    },
  })
  registry.registerMetric(durations(routes, bucketsMs))

  function routeOf(route: string): OfRoute {
    const buckets = new Array<number>(bucketsMs.length + 1).fill(0)
    const made: OfRoute = { counts: new Map(), buckets, sumMs: 0 }
    routes.set(route, made)
    return made
  }

  return {
    answered(route, method, status, elapsedMs) {
      const of = routes.get(route) ?? routeOf(route)
      let byStatus = of.counts.get(method)
      if (byStatus === undefined) {
        byStatus = new Map()
        of.counts.set(method, byStatus)
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      of.sumMs += elapsedMs
      let at = 0
      while (at < bucketsMs.length && elapsedMs > bucketsMs[at]!) at += 1
      of.buckets[at]! += 1
    },
  }
}

/** A histogram in the registry's form. */
function durations(
  routes: ReadonlyMap<string, OfRoute>,
  bucketsMs: readonly number[],
): Metric<string> {
  const name = 'chaintape_http_request_ms'
  const bounds = [...bucketsMs, '+Inf']
  const valuesOf = ([route, { buckets, sumMs }]: [string, OfRoute]) => {
    let count = 0
    const within = bounds.map((le, at) => {
      count += buckets[at]!
      return { metricName: `${name}_bucket`, labels: { le, route }, value: count }
    })
    return [
      ...within,
      { metricName: `${name}_sum`, labels: { route }, value: sumMs },
      { metricName: `${name}_count`, labels: { route }, value: count },
    ]
  }
  const read = async () => ({
    name,
    help: 'Time from request to answer.',
    type: 'histogram',
    aggregator: 'sum',
    values: [...routes].flatMap(valuesOf),
  })
  return { name, get: read } as unknown as Metric<string>
}
