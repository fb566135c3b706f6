import type { ChainStatus } from '../../packages/server/src/gateway/chain/gatewayChain.ts'

/** Status of a chain that follows its head without problems. */
export function liveStatus(parts: Partial<ChainStatus> = {}): ChainStatus {
  return {
    state: 'live',
    tipNumber: null,
    persistedNumber: null,
    queueBlocks: 0,
    queueBlocksMax: 1,
    pausedReason: null,
    databaseError: null,
    rpcError: null,
    retentionError: null,
    tipTimeS: null,
    wasReady: true,
    lagReason: null,
    unresolvedPools: 0,
    missedPools: null,
    startBlock: 'latest',
    history: { firstNumber: null, swapsFromS: null },
    ...parts,
  }
}
