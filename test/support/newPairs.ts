// New pairs from a socket's pushes and from the chain's own logs.
import { type Hex, toEventSelector } from 'viem'
import type { DevNode } from './devNode.ts'
import type { ProgramSocket } from './programSocket.ts'

/** Pushes of `new_pairs` under an id, each with its cursor. */
export const newPairPushes = (socket: ProgramSocket, id: number) =>
  socket
    .pushes(id)
    .filter(({ result }) => result.topic === 'new_pairs')
    .map(({ result, cursor }) => ({ event: result.event, pair: result.pair.pair, cursor }))

/** Pairs by creation logs, and those of launches that graduated, in chain order. */
export async function readPools(node: DevNode, after: number) {
  const read = async (event: string, pairOf: (log: { data: Hex; topics: Hex[] }) => string) => {
    const filter = { topics: [toEventSelector(event)], fromBlock: `0x${(after + 1).toString(16)}` }
    const logs = (await node.request('eth_getLogs', [filter])) as { data: Hex; topics: Hex[] }[]
    return logs.map(pairOf)
  }
  const word = (data: Hex, at: number) => `0x${data.slice(2 + 64 * at + 24, 2 + 64 * (at + 1))}`
  return {
    created: [
      ...(await read('PairCreated(address,address,address,uint256)', ({ data }) => word(data, 0))),
      ...(await read('PoolCreated(address,address,uint24,int24,address)', ({ data }) =>
        word(data, 1),
      )),
    ],
    graduated: await read(
      'Graduated(address,address,uint256,uint256)',
      ({ topics }) => `0x${topics[2]!.slice(-40)}`,
    ),
  }
}
