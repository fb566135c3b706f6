import { findBlockAt } from '../../chain/evm/heads/findBlockAt.ts'
import { createEvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import type { BlockAtOptions } from '../chainKind.ts'
import { hedgeShare } from '../chainSetup.ts'
import type { EvmChainSetup } from './evmSetup.ts'

/** Finds the first block of an EVM chain at or after a time. */
export async function findEvmBlockAt(options: BlockAtOptions<EvmChainSetup>): Promise<number> {
  const { setup, timeS, logger, signal } = options
  const { endpoints, chainId, limits } = setup
  const rpc = createEvmRpc({
    endpoints,
    secrets: setup.secrets,
    chainId,
    timeoutMs: limits.rpcMsMax,
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeShare),
    batchSizeMax: limits.rpcBatchRequestsMax,
    logger,
    onMetric: () => undefined,
  })
  try {
    return await findBlockAt({ rpc, timeS, signal })
  } finally {
    rpc.close()
  }
}
