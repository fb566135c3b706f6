/** What a behavior was held against, and by which test; a real transaction by its chain and hash, where one was found. */
export type Proof = readonly [behavior: string, proof: string, test: string]

const none = 'no real transaction found'

/** The table of proofs in docs/coverage.md. */
export const proofs: readonly Proof[] = [
  ['launch on four.meme', 'bsc 0x5c0196ed', 'launches/realLaunches.test.ts'],
  ['trades on four.meme', none, 'launches/launches.test.ts, encoded events'],
  ['launches and trades on flap', none, 'launches/launches.test.ts, encoded events'],
  ['launches and trades on nad.fun', none, 'launches/launches.test.ts, encoded events'],
  [
    'launch of clanker, version 4',
    'base 0x14e585d7, by its values',
    'launches/realLaunches.test.ts',
  ],
  ['creator coin of Zora', 'base 0x310429bc, by its values', 'launches/realLaunches.test.ts'],
  ['launches and trades of Virtuals', none, 'launches/launches.test.ts, encoded events'],
  ['curves of Pons and Bags', none, 'launches/ownCurves.test.ts, encoded events'],
  ['swap of Liquidity Book', 'arbitrum 0x1756eca9', 'test/fixtures/evmReceipts'],
  ['swap of Fluid', 'eth 0x578422ff', 'test/fixtures/evmReceipts'],
  ['swap of Maverick V2', 'base 0xdc1a92c8', 'test/fixtures/evmReceipts'],
  ['swap of Pancake Infinity (CL)', 'base 0x30402264', 'test/fixtures/evmReceipts'],
  ['swap of Pancake Infinity (bin)', none, 'venues.fuzz.test.ts, encoded events'],
  ['a coin that nothing wraps and that is a dollar (Arc)', none, 'test/launchStages.test.ts'],
]
