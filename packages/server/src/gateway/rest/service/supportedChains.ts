import type { ServedChain } from '@chaintape/protocol'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { defineOperation } from '../operation.ts'

/** Well-known id and names of a chain. */
type KnownChain = { chain_id: string; name: string; description: string }

const knownChains: Readonly<Record<string, KnownChain>> = {
  eth: { chain_id: '1', name: 'Ethereum', description: 'Ethereum Mainnet' },
  bsc: { chain_id: '56', name: 'BSC', description: 'Binance Smart Chain' },
  base: { chain_id: '8453', name: 'Base', description: 'Coinbase Base' },
  arbitrum: { chain_id: '42161', name: 'Arbitrum', description: 'Arbitrum' },
  optimism: { chain_id: '10', name: 'Optimism', description: 'Optimism' },
  polygon: { chain_id: '137', name: 'Polygon', description: 'Polygon' },
  avalanche: { chain_id: '43114', name: 'Avalanche', description: 'Avalanche' },
  solana: { chain_id: 'solana', name: 'Solana', description: 'Solana' },
}

/** Returns the public names of a chain. Other chains get their configured name and id. */
export function publicChainNames(chain: string, networkId?: string): KnownChain {
  const known = Object.hasOwn(knownChains, chain)
    ? knownChains[chain]!
    : { chain_id: '', name: chain, description: '' }
  return networkId === undefined ? known : { ...known, chain_id: networkId }
}

const demoDescription = 'Demo: bots trade worthless tokens'

/** GET /v2/supported_chains: the configured chains. */
export const supportedChains = defineOperation({
  id: 'supportedChains',
  method: 'GET',
  path: '/v2/supported_chains',
  cost: 0,
  tag: 'service',
  summary: 'Served chains',
  description:
    '`chain_id` comes from the config or from the list of well-known chains; empty if neither has it.',
  inputs: {},
  answer: arraySchema(componentRef('ServedChain')),
  run(_, { chains }) {
    const rows = [...chains].map(
      ([chain, { ids, profile }]): ServedChain => ({
        chain,
        ...publicChainNames(chain, profile.networkId),
        ...(profile.isDemo === true ? { description: demoDescription } : {}),
        case_sensitive: ids.isCaseSensitive,
        only_native_coin: false,
        // Always empty: the configured node URLs are private.
        rpc_url: '',
        block_explorer_url: '',
        main_token_symbol: profile.native.symbol,
        main_token_address: profile.native.wrappedToken,
      }),
    )
    return { json: JSON.stringify(rows) }
  },
})
