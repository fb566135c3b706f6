import { createMulticall } from '../../chain/evm/calls/multicall.ts'
import { readHoldings, readWallets } from '../../chain/evm/calls/readWallets.ts'
import { findBlockAt } from '../../chain/evm/heads/findBlockAt.ts'
import { createEvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { stateBytesMax } from '../../chain/rpc/rpcCall.ts'
import { createEvmChecker } from '../../risk/evm/evmChecker.ts'
import { evmCheckLimitsDefault } from '../../risk/evm/evmCheckLimits.ts'
import type { FindBlockAtOptions, NodesOptions } from '../chainKind.ts'
import { hedgeDivisor } from '../chainSetup.ts'
import { type ConnectedNodes, createRpcStats } from '../intake.ts'
import type { EvmChainSetup } from './evmSetup.ts'

/**
 * Connects to an EVM chain's nodes for requests of API clients and audits. They share a request
 * rate, separate from block ingestion.
 */
export function connectEvmNodes(options: NodesOptions<EvmChainSetup>): ConnectedNodes {
  const { setup, riskLimits, logger } = options
  const { profile, endpoints, chainId, limits } = setup
  const tally = createRpcStats(options.tallies)
  const rpc = createEvmRpc({
    endpoints,
    secrets: setup.secrets,
    chainId,
    timeoutMs: limits.rpcMsMax,
    // A slow request is repeated at another endpoint, because a client waits for the answer.
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeDivisor),
    batchSizeMax: limits.rpcBatchRequestsMax,
    responseBytesMax: stateBytesMax,
    rates: options.rates,
    logger,
    onMetric: tally.onMetric,
  })
  const multicall = createMulticall({ rpc, address: setup.multicall3 })
  const checkLimits = { ...evmCheckLimitsDefault, ...riskLimits }
  return {
    readWallets: (addresses, signal) => readWallets(rpc, addresses, signal),
    readHoldings: (query, signal) => readHoldings(multicall, query, signal),
    checker: createEvmChecker({ profile, rpc, limits: checkLimits }),
    endpoints: () => tally.read(rpc),
    close: () => rpc.close(),
  }
}

/** Finds the first block of an EVM chain at or after a time. */
export async function findEvmBlockAt(options: FindBlockAtOptions<EvmChainSetup>): Promise<number> {
  const { setup, timeS, logger, signal } = options
  const { endpoints, chainId, limits } = setup
  const rpc = createEvmRpc({
    endpoints,
    secrets: setup.secrets,
    chainId,
    timeoutMs: limits.rpcMsMax,
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeDivisor),
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
