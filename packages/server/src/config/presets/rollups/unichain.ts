/** Unichain. */
export const unichain = {
  chain_id: 130,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/130/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '64s',
  block_ms: 1_000,
  poll_ms: 500,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x4200000000000000000000000000000000000006',
  },
  stables: [
    '0x078D782b760474a361dDA0AF3839290b0EF57AD6', // USDC
    '0x9151434b16b9763660705744891fA906F660EcC5', // USDT0
  ],
  quotes: [],
  factories: [
    {
      address: '0x1F98400000000000000000000000000000000002',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 0,
    },
    {
      address: '0x1F98400000000000000000000000000000000003',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 0,
    },
    {
      address: '0x1F98400000000000000000000000000000000004',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 25_500,
    },
    { address: '0x31832f2a97Fd20664D76Cc421207669b55CE4BC0', venue: 'solidly', amm: 'velodromev2' },
    {
      address: '0x04625B046C69577EfC40e6c0Bb83CDBAfab5a55F',
      venue: 'slipstream',
      amm: 'velodromecl',
    },
  ],
  launch_platforms: [
    { address: '0xE85A59c628F7d27878ACeB4bf3b35733630083a9', platform: 'clanker', amm: 'clanker' },
  ],
  native_pool_usd_min: 10_000,
} as const
