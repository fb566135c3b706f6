import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'

export type FoundLog = {
  topics: readonly string[]
  data: string
  transactionHash: string
  blockNumber: string
}

export type BoundedLogsOptions = {
  rpc: EvmRpc
  address: string
  topic0?: string | undefined
  from: number
  to: number
  /** A longer range is not asked for. */
  blocksMax: number
  signal: AbortSignal
}

/** The logs of one contract over a short range; null when the range is long or the node does not say. */
export async function readBoundedLogs(
  options: BoundedLogsOptions,
): Promise<readonly FoundLog[] | null> {
  const { rpc, address, topic0, from, to, blocksMax, signal } = options
  if (to - from + 1 > blocksMax) return null
  const topics = topic0 === undefined ? {} : { topics: [topic0] }
  const fromBlock = `0x${from.toString(16)}`
  const toBlock = `0x${to.toString(16)}`
  const filter = { address, ...topics, fromBlock, toBlock }
  try {
    const logs = await rpc.request('eth_getLogs', [filter], { signal, roundsMax: 1 })
    return Array.isArray(logs) ? (logs as FoundLog[]) : null
  } catch {
    // What these logs tell is absent from the report then; nothing else rests on them.
    return null
  }
}
