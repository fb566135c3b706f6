import type { EvmCall, EvmRequestOptions, EvmResult, EvmRpcMetric } from '../evmRpc.ts'
import type { Endpoint } from './endpoint.ts'
import { hedgedRace } from './hedgedRace.ts'

export type PassOptions = {
  endpoints: readonly Endpoint[]
  hedgeAfterMs: number
  onMetric: (metric: EvmRpcMetric) => void
}

/** Goes once through the endpoints, best first; gives each call's best answer. */
export type Pass = (
  calls: readonly EvmCall[],
  request: EvmRequestOptions,
  signal: AbortSignal,
) => Promise<EvmResult[]>

// More than distrust, less than an endpoint that does not answer at all.
const avoidedWeight = 1e11

export function createPass({ endpoints, hedgeAfterMs, onMetric }: PassOptions): Pass {
  function inOrder(calls: readonly EvmCall[], avoid: readonly number[]): readonly Endpoint[] {
    if (endpoints.length === 1) return endpoints
    const nowMs = Date.now()
    const rankOf = (endpoint: Endpoint) =>
      endpoint.rank(calls, nowMs) + (avoid.includes(endpoint.index) ? avoidedWeight : 0)
    return endpoints
      .map((endpoint) => ({ endpoint, rank: rankOf(endpoint) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ endpoint }) => endpoint)
  }

  return async function pass(calls, request, signal) {
    const avoid = request.avoid ?? []
    const order = inOrder(calls, avoid)
    const nowMs = Date.now()
    const isHedge = (endpoint: Endpoint) =>
      endpoint.coolingMs(nowMs) === 0 && !avoid.includes(endpoint.index)
    const { isNullMiss = false, isBackground = false } = request
    const isSettled = (result: EvmResult) =>
      result.ok ? !(isNullMiss && result.value === null) : result.error.isDefinite
    const answers = await hedgedRace(
      order.map(
        (endpoint) => (race: AbortSignal, onSent: () => void) =>
          endpoint.send(calls, { signal: race, isBackground, onSent }),
      ),
      {
        hedgeAfterMs,
        hedgesMax: order.filter(isHedge).length,
        isGood: (results) => results.every(isSettled),
        onHedge: (runner) => onMetric({ type: 'hedge', endpoint: order[runner]!.name }),
        signal,
      },
    )
    return calls.map((_, at) => {
      const given = answers.map((results) => results[at]!)
      // One who says that fewer blocks would do tells more than one who says nothing.
      const isOfSize = (result: EvmResult) => !result.ok && result.error.isOfSize
      const settled = given.find(isSettled) ?? given.find((result) => result.ok)
      return settled ?? given.find(isOfSize) ?? given.at(-1)!
    })
  }
}
