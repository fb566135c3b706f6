import { evmIds } from '@chaintape/protocol'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import type { ChainKind } from '../chainKind.ts'
import { atRate } from '../rpcFields.ts'
import { checkEvmChain } from './checkEvmChain.ts'
import { type EvmChainConfig, evmChainSchema } from './evmChainSchema.ts'
import { type EvmChainSetup, setupOfEvmChain } from './evmSetup.ts'

/** Chains of the EVM family, behind JSON-RPC nodes. */
export const evmKind: ChainKind<EvmChainConfig, EvmChainSetup, EvmBlock, typeof evmChainSchema> = {
  name: 'evm',
  schema: evmChainSchema,
  ids: evmIds,
  check: checkEvmChain,
  urlsOf: ({ rpc }) =>
    rpc.flatMap(({ http_url, ws_url }, i) => [
      { path: `rpc[${i}].http_url`, url: http_url },
      ...(ws_url === undefined ? [] : [{ path: `rpc[${i}].ws_url`, url: ws_url }]),
    ]),
  poolSourcesOf: ({ factories, launch_platforms }) => [...factories, ...launch_platforms],
  endpointCountOf: ({ rpc }) => rpc.length,
  setupOf: setupOfEvmChain,
  // Most of the program, which who only reads a config does not need.
  openIntake: async (options) => await (await import('./evmIntake.ts')).openEvmIntake(options),
  connectNodes: async (options) => (await import('./evmNodes.ts')).connectEvmNodes(options),
  past: {
    setupOf: atRate,
    findBlockAt: async (options) => await (await import('./evmPast.ts')).findEvmBlockAt(options),
  },
}
