import { evmIds } from '@chaintape/protocol'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import type { ChainKind } from '../chainKind.ts'
import { nodeUrlsOf, withRequestRate } from '../commonChainFields.ts'
import { checkEvmChain, type EvmChainConfig, evmChainSchema } from './evmChainSchema.ts'
import { type EvmChainSetup, setupOfEvmChain, withFullVerification } from './evmSetup.ts'

/** Chains of the EVM family, read through JSON-RPC nodes. */
export const evmKind: ChainKind<EvmChainConfig, EvmChainSetup, EvmBlock, typeof evmChainSchema> = {
  name: 'evm',
  schema: evmChainSchema,
  ids: evmIds,
  check: checkEvmChain,
  urlsOf: nodeUrlsOf,
  poolSourcesOf: ({ factories, launch_platforms }) => [...factories, ...launch_platforms],
  endpointCountOf: ({ rpc }) => rpc.length,
  setupOf: setupOfEvmChain,
  // Loaded lazily: most of the program's code, which reading a config does not need.
  loadIntake: () => import('./evmIntake.ts'),
  openIntake: async (options) => await (await import('./evmIntake.ts')).openEvmIntake(options),
  connectNodes: async (options) => (await import('./evmNodes.ts')).connectEvmNodes(options),
  backfill: {
    throttledSetupOf: withRequestRate,
    verifiedSetupOf: withFullVerification,
    findBlockAt: async (options) => await (await import('./evmNodes.ts')).findEvmBlockAt(options),
  },
}
