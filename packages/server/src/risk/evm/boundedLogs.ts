import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'

export type FoundLog = {
  topics: readonly string[]
  data: string
  transactionHash: string
  blockNumber: string
}

type BoundedLogsOptions = {
  rpc: EvmRpc
  address: string
  topic0?: string | undefined
  from: number
  to: number
  /** A longer range is not requested. */
  blocksMax: number
  signal: AbortSignal
}

/**
 * Returns the logs of one contract over a short range; null if the range is long or the node
 * refuses.
 */
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
    // The report then lacks what these logs would show; nothing else depends on them.
    return null
  }
}
