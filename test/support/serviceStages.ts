import { createEvmBlockSource } from '../../packages/server/src/chain/evm/blockSource.ts'
import { createMulticall } from '../../packages/server/src/chain/evm/calls/multicall.ts'
import { createEvmRpc } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { topics0Of } from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import { createLedger } from '../../packages/server/src/ledger/ledger.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import { createEvmReader } from '../../packages/server/src/resolve/evm/evmReader.ts'
import { Resolver } from '../../packages/server/src/resolve/resolver.ts'
import { knownVenues } from '../../packages/server/src/venues/evm/venues.ts'

export type ServiceStagesOptions = {
  rpcUrl: string
  profile: ChainProfile
  multicall3: string
  startBlock: number
  signal: AbortSignal
}

const finalityBlocks = 32
// Generous timeouts: tests check a block's final content, not its latency.
const patienceMs = 60_000

/** The service's stages, not yet connected, with an empty store. */
export function createServiceStages(options: ServiceStagesOptions) {
  const { rpcUrl, profile, multicall3, startBlock, signal } = options
  const logger = createLogger('warn')
  const rpc = createEvmRpc({
    endpoints: [{ httpUrl: rpcUrl }],
    timeoutMs: 30_000,
    hedgeAfterMs: 10_000,
    batchSizeMax: 50,
    logger,
  })
  const source = createEvmBlockSource({
    chain: profile.name,
    rpc,
    startBlock,
    known: [],
    reorgDepthMax: profile.reorgDepthMax,
    finality: { type: 'depth', blocks: finalityBlocks },
    pollMs: 50,
    backfill: { rangeBlocks: 500, parallelRanges: 2 },
    topics0: topics0Of(knownVenues),
    clock: { nowMs: Date.now },
    logger,
    signal,
  })
  const multicall = createMulticall({ rpc, address: multicall3 })
  const limits = { budgetMs: patienceMs }
  const resolver = new Resolver({
    profile,
    reader: createEvmReader({ profile, rpc, multicall, multicallAddress: multicall3 }),
    records: {
      findPairs: async () => [],
      findCouples: async () => [],
      listPairs: async () => [],
      findTokens: async () => [],
    },
    nextTokenId: 0,
    nextPairId: 0,
    limits,
    logger,
  })
  const balances = {
    loadBalances: async (keys: readonly unknown[]) => keys.map(() => 0n),
    loadSupplies: async () => [],
  }
  const ledger = createLedger({ profile, balances, limits, logger })
  return { rpc, source, resolver, ledger, engine: createEngine({ profile }) }
}
