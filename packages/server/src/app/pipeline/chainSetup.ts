import type { ChainConfig } from '../../config/chainSchema.ts'
import type { Config } from '../../config/schema.ts'
import { type EvmChainSetup, setupOfEvmChain } from '../evm/evmSetup.ts'

/** Everything a chain's thread needs to know, by the kind of the chain. */
export type ChainSetup = EvmChainSetup

export function setupOfChain(name: string, chain: ChainConfig, config: Config): ChainSetup {
  switch (chain.kind) {
    case 'evm':
      return setupOfEvmChain(name, chain, config)
  }
}
