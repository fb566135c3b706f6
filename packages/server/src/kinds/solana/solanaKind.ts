import { base58Ids } from '@chaintape/protocol'
import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import type { ChainKind } from '../chainKind.ts'
import { nodeUrlsOf, withRequestRate } from '../commonChainFields.ts'
import { checkSolanaChain, type SolanaChainConfig, solanaChainSchema } from './solanaChainSchema.ts'
import { type SolanaChainSetup, setupOfSolanaChain } from './solanaSetup.ts'

/** Solana and compatible chains, read through JSON-RPC nodes. */
export const solanaKind: ChainKind<
  SolanaChainConfig,
  SolanaChainSetup,
  SolanaBlock,
  typeof solanaChainSchema
> = {
  name: 'solana',
  schema: solanaChainSchema,
  ids: base58Ids,
  check: checkSolanaChain,
  urlsOf: nodeUrlsOf,
  endpointCountOf: ({ rpc }) => rpc.length,
  setupOf: setupOfSolanaChain,
  // Loaded lazily: most of the program's code, which reading a config does not need.
  loadIntake: () => import('./solanaIntake.ts'),
  openIntake: async (options) => (await import('./solanaIntake.ts')).openSolanaIntake(options),
  connectNodes: async (options) => (await import('./solanaNodes.ts')).connectSolanaNodes(options),
  backfill: {
    throttledSetupOf: withRequestRate,
    verifiedSetupOf: (setup, rangeBlocks) => ({
      ...setup,
      parallelBlocksMax: Math.min(setup.parallelBlocksMax, rangeBlocks),
    }),
    findBlockAt: async (options) => (await import('./solanaNodes.ts')).findSolanaSlotAt(options),
    findBlockFrom: async (options) =>
      (await import('./solanaNodes.ts')).findSolanaSlotFrom(options),
  },
}
