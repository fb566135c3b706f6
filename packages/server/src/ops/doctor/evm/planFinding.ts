import type { RpcEndpointOptions } from '../../../chain/rpc/rpcCall.ts'
import type { EvmChainSetup } from '../../../kinds/evm/evmSetup.ts'
import { type DoctorFinding, findingsOf } from '../finding.ts'

type Pace = Pick<EvmChainSetup, 'pollMs' | 'finality'> & {
  /** Block time in seconds, measured on the node. */
  blockS: number
}

// Cost per block at the head: one batch with the block and its logs, plus native balances of
// traders and lookups of new tokens and pools.
const headCostPerBlock = { requests: 2, calls: 3.2 }
// Following the final block takes its header, and our own header at that height while the final
// block is ahead.
const tagCallsPerS = 2
const secondsPerDay = 86_400

/** Estimates the requests and calls per second that following the head costs one endpoint. */
export function headRequestRates({ blockS, pollMs, finality }: Pace, hasSocket: boolean) {
  const blocksPerS = 1 / blockS
  // A poll that finds no new block is a request too.
  const pollsPerS = hasSocket ? 0 : 1_000 / pollMs
  const tagsPerS = finality.type === 'tag' ? Math.min(tagCallsPerS, blocksPerS) : 0
  // Blocks that arrive between two polls share a batch.
  const turnsPerS = hasSocket ? blocksPerS : Math.min(blocksPerS, pollsPerS)
  const besideS = pollsPerS + tagsPerS
  return {
    requests: turnsPerS + (headCostPerBlock.requests - 1) * blocksPerS + besideS,
    calls: headCostPerBlock.calls * blocksPerS + besideS,
  }
}

/** Judges whether the configured rate covers the requests that following the head needs. */
export function planFinding(
  name: string,
  { wsUrl, requestsPerSecondMax, rateCounts = 'calls' }: RpcEndpointOptions,
  pace: Pace,
): DoctorFinding {
  const { ok, warn } = findingsOf(name)
  const { requests, calls } = headRequestRates(pace, wsUrl !== undefined)
  const perDay = (perS: number) => `${((perS * secondsPerDay) / 1e6).toFixed(2)} million`
  const text =
    `A block every ${rounded(pace.blockS)} s: following the head needs ${rounded(requests)} HTTP requests and ` +
    `${rounded(calls)} JSON-RPC calls per second, ${perDay(requests)} and ${perDay(calls)} per day.`
  const needed = rateCounts === 'calls' ? calls : requests
  if (requestsPerSecondMax === undefined || needed <= requestsPerSecondMax) return ok('plan', text)
  return warn(
    'plan',
    text,
    `requests_per_second_max is ${requestsPerSecondMax} ${rateCounts}: raise it to ${Math.ceil(2 * needed)}, if your plan allows it.`,
  )
}

const rounded = (value: number) => Number(value.toPrecision(2))
