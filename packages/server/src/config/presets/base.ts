/** Base. */
export const base = {
  chain_id: 8_453,
  // Its finalized block waits for Ethereum, 15 to 20 minutes and so 600 blocks behind; the sequencer
  // practically never takes a block back, so a depth serves better.
  finality: 64,
  poll_ms: 1_000,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x4200000000000000000000000000000000000006',
  },
  stables: [
    '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', // USDC
    '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', // USDbC
    '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', // USDT
    '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', // DAI
  ],
  quotes: [
    '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', // cbBTC
    '0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b', // VIRTUAL
    '0x1111111111166b7FE7bd91427724B487980aFc69', // ZORA
  ],
  factories: [
    {
      address: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
    },
    {
      address: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
    },
    { address: '0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E', venue: 'uniswapV2', amm: 'cakev2' },
    { address: '0x71524B4f93c58fcbF659783284E38825f0622859', venue: 'uniswapV2', amm: 'sushiv2' },
    { address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4', venue: 'uniswapV3', amm: 'sushiv3' },
    {
      address: '0xFDa619b6d20975be80A10332cD39b9a4b0FAa8BB',
      venue: 'uniswapV2',
      amm: 'baseswapv2',
    },
    {
      address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      venue: 'pancakeV3',
      amm: 'cakev3',
    },
  ],
  lockers: [
    // UNCX
    '0xc4E637D37113192F4F1F060DaEbD7758De7F4131',
    '0xBeddF48499788607B4c2e704e9099561ab38Aae8',
    // Team Finance
    '0x4F0Fd563BE89ec8C3e7D595bf3639128C0a7C33A',
    // GoPlus
    '0xF17A08A7d41F53B24AD07Eb322CBBdA2ebdeC04b',
  ],
  native_pool_usd_min: 100_000,
} as const
