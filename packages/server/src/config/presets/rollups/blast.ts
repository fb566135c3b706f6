/** Blast. */
export const blast = {
  chain_id: 81_457,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/81457/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '128s',
  block_ms: 2_000,
  poll_ms: 1_000,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x4300000000000000000000000000000000000004',
  },
  stables: [
    '0x4300000000000000000000000000000000000003', // USDB
  ],
  quotes: [],
  factories: [
    {
      address: '0x5C346464d33F90bABaf70dB6388507CC889C1070',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 399_405,
    },
    {
      address: '0x792edAdE80af5fC680d96a2eD80A44247D2Cf6Fd',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 400_903,
    },
    {
      address: '0x1631559198A9e474033433b2958daBC135ab6446',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 14_377_311,
    },
    {
      address: '0xb4A7D971D0ADea1c73198C97d7ab3f9CE4aaFA13',
      venue: 'uniswapV2',
      amm: 'thrusterv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x37836821a2c03c171fB1a595767f4a16e2b93Fc4',
      venue: 'uniswapV2',
      amm: 'thrusterv2',
      fee_ppm: 10_000,
    },
    {
      address: '0x71b08f13B3c3aF35aAdEb3949AFEb1ded1016127',
      venue: 'uniswapV3',
      amm: 'thrusterv3',
      since_block: 157_106,
    },
    {
      address: '0x42Fa929fc636e657AC568C0b5Cf38E203b67aC2b',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
  ],
  native_pool_usd_min: 10_000,
} as const
