import { timeOfHeader } from '../calls/contractCreation.ts'
import { toQuantity } from '../fetch/rawBlock.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

export type BlockAtQuery = {
  rpc: Pick<EvmRpc, 'request' | 'requestBatch'>
  /** Time in Unix seconds. */
  timeS: number
  signal?: AbortSignal | undefined
  /**
   * Number of blocks probed at once. @default 15, which finds any block of any chain in seven
   * rounds
   */
  pointsPerRound?: number | undefined
}

const pointsPerRoundDefault = 15

/**
 * Finds the first block at or after this time, or the newest block if all are older. Throws if no
 * node answers.
 */
export async function findBlockAt(query: BlockAtQuery): Promise<number> {
  const { rpc, timeS, signal, pointsPerRound = pointsPerRoundDefault } = query
  let before = -1
  let notBefore = Number(await rpc.request('eth_blockNumber', [], { signal }))
  while (notBefore - before > 1) {
    const step = Math.max(1, Math.ceil((notBefore - before) / (pointsPerRound + 1)))
    const points: number[] = []
    for (let at = before + step; at < notBefore; at += step) points.push(at)
    const times = await timesOf(query, points)
    // A pruned node does not return its oldest blocks; they count as earlier than any block it has.
    const first = times.findIndex((time) => time !== null && time >= timeS)
    if (first === -1) before = points.at(-1)!
    else {
      notBefore = points[first]!
      if (first > 0) before = points[first - 1]!
    }
  }
  return notBefore
}

async function timesOf(
  { rpc, signal }: BlockAtQuery,
  points: readonly number[],
): Promise<(number | null)[]> {
  const calls = points.map((at) => ({
    method: 'eth_getBlockByNumber',
    params: [toQuantity(at), false],
  }))
  const results = await rpc.requestBatch(calls, { signal })
  return results.map((result) => {
    if (!result.ok && result.error.kind === 'notFound') return null
    if (!result.ok) throw result.error
    return timeOfHeader(result.value)
  })
}
