import { toQuantity } from '../fetch/rawBlock.ts'
import { nativeStandardOf } from '../nativeTokens.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

export type NativeCreation = { block: number; txHash: string }

export type NativeCreationQuery = {
  rpc: Pick<EvmRpc, 'request'>
  address: string
  block: { number: number }
  signal?: AbortSignal | undefined
  isBackground?: boolean | undefined
}

/**
 * Where the factory of its standard created a token, by the factory's event: one call, which needs no old state.
 * Null: not a token of a known standard, or the node does not search so many blocks.
 */
export async function findNativeCreation(
  query: NativeCreationQuery,
): Promise<NativeCreation | null> {
  const { rpc, address, block, signal, isBackground } = query
  const standard = nativeStandardOf(address)
  if (standard === null) return null
  const filter = {
    address: standard.factory,
    topics: [standard.createdTopic, `0x${address.slice(2).padStart(64, '0')}`],
    fromBlock: '0x0',
    toBlock: toQuantity(block.number),
  }
  const logs = await rpc
    .request('eth_getLogs', [filter], { signal, isBackground, roundsMax: 1 })
    .catch(() => null)
  const [log] = Array.isArray(logs) ? logs : []
  const { blockNumber, transactionHash } = log ?? {}
  if (typeof blockNumber !== 'string' || typeof transactionHash !== 'string') return null
  return { block: Number(blockNumber), txHash: transactionHash }
}
