import { evmIds } from '@chaintape/protocol'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import type { ChainKind } from '../chainKind.ts'
import { checkEvmChain } from './checkEvmChain.ts'
import { type EvmChainConfig, evmChainSchema } from './evmChainSchema.ts'
import { openEvmIntake } from './evmIntake.ts'
import { connectEvmNodes } from './evmNodes.ts'
import { type EvmChainSetup, setupOfEvmChain } from './evmSetup.ts'

/** Chains of the EVM family, behind JSON-RPC nodes. */
export const evmKind: ChainKind<EvmChainConfig, EvmChainSetup, EvmBlock, typeof evmChainSchema> = {
  name: 'evm',
  schema: evmChainSchema,
  ids: evmIds,
  check: checkEvmChain,
  endpointCountOf: ({ rpc }) => rpc.length,
  setupOf: setupOfEvmChain,
  openIntake: openEvmIntake,
  connectNodes: connectEvmNodes,
}
