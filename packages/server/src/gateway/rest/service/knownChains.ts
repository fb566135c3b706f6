/** How a chain is called outside. */
export type KnownChain = { chain_id: string; name: string; description: string }

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

/** A chain of another name is known by that name alone. */
export function knownChain(chain: string): KnownChain {
  if (Object.hasOwn(knownChains, chain)) return knownChains[chain]!
  return { chain_id: '', name: chain, description: '' }
}
