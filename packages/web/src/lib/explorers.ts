/** Block explorers of the presets' chains. All use the same paths, except for Solana's wallets. */
const explorers: Readonly<Record<string, string>> = {
  eth: 'https://etherscan.io',
  bsc: 'https://bscscan.com',
  base: 'https://basescan.org',
  arbitrum: 'https://arbiscan.io',
  optimism: 'https://optimistic.etherscan.io',
  polygon: 'https://polygonscan.com',
  avalanche: 'https://snowtrace.io',
  linea: 'https://lineascan.build',
  scroll: 'https://scrollscan.com',
  blast: 'https://blastscan.io',
  mantle: 'https://mantlescan.xyz',
  sonic: 'https://sonicscan.org',
  unichain: 'https://uniscan.xyz',
  berachain: 'https://berascan.com',
  monad: 'https://monadscan.com',
  hyperevm: 'https://hyperevmscan.io',
  gnosis: 'https://gnosisscan.io',
  robinhood: 'https://robinhoodchain.blockscout.com',
  ink: 'https://explorer.inkonchain.com',
  world: 'https://worldscan.org',
  megaeth: 'https://mega.etherscan.io',
  arc: 'https://explorer.arc.io',
  solana: 'https://solscan.io',
}

export type Explored = 'token' | 'address'

/** Null if no explorer of the chain is known, or it has no such page. */
export function explorerUrl(chain: string, kind: Explored, id: string): string | null {
  const explorer = explorers[chain]
  // Pools inside a manager have an id and no page.
  const isPoolId = id.startsWith('0x') && id.length > 42
  if (explorer === undefined || isPoolId) return null
  const path = kind === 'address' && chain === 'solana' ? 'account' : kind
  return `${explorer}/${path}/${encodeURIComponent(id)}`
}
