/**
 * A behavior, the real transaction that it was checked against (chain and hash), if any, and the
 * test.
 */
export type Proof = readonly [behavior: string, proof: string, test: string]

const none = 'no real transaction found'

/** The table of proofs in docs/reference/coverage.md. */
export const proofs: readonly Proof[] = [
  [
    'Avalanche since Helicon (settledHeight)',
    'no real header found',
    'headerHash.test.ts, headers of that form',
  ],
  [
    'header fields of Glamsterdam',
    'no real header found',
    'headerHash.test.ts, hashed by viem as well',
  ],
  ['native transfers logged as ERC-20 (EIP-7708)', none, 'decode/evm/erc20.test.ts'],
  [
    'a chain upgrade that breaks a check',
    'altered answers of a real node',
    'test/faults/chainUpgrade.test.ts',
  ],
  [
    'five blocks a second, milliseconds (Base since Denim)',
    'no real header found',
    'test/chain/chainTimes.test.ts, test/chain/headRuns.test.ts',
  ],
  ['tokens without code (B20, CAS20)', none, 'test/chain/riskNative.test.ts'],
  ['Alpenglow: many reverts of processed', none, 'test/grpcSource.test.ts'],
  ['PumpSwap v2 sale', 'solana AcrDzvio', 'decode/solana/pumpForms.test.ts'],
  [
    'completing buy of pump.fun (PostCompleteBuyEvent)',
    'solana 3hYp997p',
    'decode/solana/pumpCompletion.test.ts',
  ],
  [
    'buys by v3 of pump.fun, routes and sweeps of PumpSwap',
    none,
    'decode/solana/pumpForms.test.ts, pumpRoutes.test.ts, pumpSweeps.test.ts; executed on the local chain',
  ],
  [
    'Saros, 1DEX, Mercurial, GAMMA, Aldrin, Raydium stable, Fusion, Aquifer, ExA6GYhH',
    'solana 3hbMRnMK, 4YxRYZzf, 1J3X41t9, 7tY4PsLk, 3KueivTT, 4eWF8WK5, 3TwHo76y, 46VCJ8fx, uyEeVWMn',
    'decode/solana/decodeSolanaBlock.test.ts',
  ],
  [
    'further venues of Solana by places from public sources',
    none,
    'decode/solana/transferVenues.test.ts',
  ],
  ['swap of Algebra Integral 1.2', 'base 0x16b0e096', 'cli/commands/decodedSwaps.test.ts'],
  ['swap of Mooniswap 1.0', 'eth 0x020b4772', 'cli/commands/decodedSwaps.test.ts'],
  ['swap of Spark PSM3', 'base 0x46d434c0', 'cli/commands/decodedSwaps.test.ts'],
  ['swap of DefiPlaza', 'eth 0xf536d216', 'cli/commands/decodedSwaps.test.ts'],
  ['swap of SyncSwap', 'scroll 0x442e968d', 'cli/commands/decodedSwaps.test.ts'],
  [
    'Maker PSM, mStable, Kyber reserves',
    none,
    'venues/evm/swapOnlyTransferVenues.test.ts, encoded events',
  ],
  ['underlying trade of Curve paid in shares', 'optimism 0x83ac5abc', 'venues/evm/curve.test.ts'],
  ['spoofed swaps of Uniswap V2', 'eth 0x53befd12', 'cli/commands/decode.test.ts'],
  [
    'CoW batches of several owners',
    'eth 0xfd0e9117, 0xd4d16ea7, 0x5871cd5d',
    'cli/commands/decodedSwaps.test.ts',
  ],
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
