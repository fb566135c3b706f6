import { timeOfHeader } from '../calls/contractCreation.ts'
import { toQuantity } from '../fetch/rawBlock.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

export type BlockAtQuery = {
  rpc: Pick<EvmRpc, 'request' | 'requestBatch'>
  /** Unix seconds. */
  timeS: number
  signal?: AbortSignal | undefined
  /** Blocks asked for at once. @default 15: seven rounds of them reach any block of any chain */
  pointsPerRound?: number | undefined
}

const pointsPerRoundDefault = 15

/** The first block that is not before this time; the newest when all are. Throws when no node answers. */
export async function findBlockAt(query: BlockAtQuery): Promise<number> {
  const { rpc, timeS, signal, pointsPerRound = pointsPerRoundDefault } = query
  let before = -1
  let notBefore = Number(await rpc.request('eth_blockNumber', [], { signal }))
  while (notBefore - before > 1) {
    const step = Math.max(1, Math.ceil((notBefore - before) / (pointsPerRound + 1)))
    const points: number[] = []
    for (let at = before + step; at < notBefore; at += step) points.push(at)
    const times = await timesOf(query, points)
    // A node that has dropped its oldest blocks says nothing of them: they are before any that it has.
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
