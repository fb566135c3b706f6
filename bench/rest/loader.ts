// The clients, in a separate process.
import { type CallName, createCalls } from './calls.ts'
import { percentile, runLoad } from './httpLoad.ts'

export type LoadOrder = {
  port: number
  call: CallName
  tokenCount: number
  connections: number
  durationMs: number
  ratePerS?: number
}
export type LoadAnswer = {
  type: 'load'
  requestsPerS: number
  requests: number
  failures: number
  bodyBytes: number
  p50Ms: number
  p99Ms: number
  cpuMs: number
}

const sources = new Map<string, () => Buffer>()

process.on('message', async ({ call, tokenCount, ...load }: LoadOrder) => {
  const name = `${call} ${tokenCount}`
  const next = sources.get(name) ?? createCalls(call, tokenCount)
  sources.set(name, next)
  const before = process.cpuUsage()
  const { requestsPerS, failures, bodyBytes, latenciesMs } = await runLoad({ ...load, next })
  const { user, system } = process.cpuUsage(before)
  process.send?.({
    type: 'load',
    requestsPerS,
    requests: latenciesMs.length,
    failures,
    bodyBytes,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuMs: (user + system) / 1_000,
  } satisfies LoadAnswer)
})
process.on('disconnect', () => process.exit(0))
process.send?.({ type: 'ready' })
