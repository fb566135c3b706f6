/** What a chain brings on a busy day. */
export type ChainLoad = {
  name: string
  swapsPerS: number
  blocksPerS: number
  /** Pairs that are known. */
  pairs: number
  /** Transactions of a block that are read to find its swaps; 0 where nodes filter logs. */
  transactionsPerBlock: number
}

type Assumed = Omit<ChainLoad, 'name'>

const evm = (swapsPerS: number, blockMs: number, pairs: number): Assumed => ({
  swapsPerS,
  blocksPerS: 1_000 / blockMs,
  pairs,
  transactionsPerBlock: 0,
})

/**
 * Orders of magnitude of busy days, rounded up: assumptions, not measurements. Whoever runs a chain has better
 * figures (`/v2/status`, `chaintape probe`) and gives them instead.
 */
const assumedLoads: Readonly<Record<string, Assumed>> = {
  eth: evm(15, 12_000, 500_000),
  bsc: evm(150, 450, 3_000_000),
  base: evm(150, 200, 3_000_000),
  arbitrum: evm(30, 250, 300_000),
  optimism: evm(10, 2_000, 100_000),
  polygon: evm(15, 2_000, 300_000),
  avalanche: evm(10, 1_500, 150_000),
  monad: evm(30, 300, 200_000),
  unichain: evm(10, 1_000, 50_000),
  solana: { ...evm(1_500, 250, 10_000_000), transactionsPerBlock: 1_000 },
}

// A chain that nobody has told about: of 130 chains most are smaller than this.
const otherLoad = evm(5, 2_000, 50_000)

/** The load of a chain by its name, and whether that name is known here. */
export function assumedLoad(name: string): ChainLoad & { isKnown: boolean } {
  const known = Object.hasOwn(assumedLoads, name) ? assumedLoads[name] : undefined
  return { name, ...(known ?? otherLoad), isKnown: known !== undefined }
}

/** The same chains with all their trades together at another rate. */
export function scaledTo(chains: readonly ChainLoad[], swapsPerS: number): ChainLoad[] {
  const total = chains.reduce((sum, chain) => sum + chain.swapsPerS, 0)
  return chains.map((chain) => ({
    ...chain,
    swapsPerS: (chain.swapsPerS * swapsPerS) / total,
  }))
}
