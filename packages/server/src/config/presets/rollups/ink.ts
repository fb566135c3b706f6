/** Ink, Kraken's rollup. */
export const ink = {
  chain_id: 57_073,
  checked: '2026-11-19',
  aliases: ['inkchain', 'inkonchain'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/57073/{address}/logo-128.png',
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
    '0x2D270e6886d130D724215A266106e6832161EAEd', // USDC
    '0x0200C29006150606B650577BBE7B6248F58470c1', // USDT0
  ],
  quotes: [
    '0x73E0C0d45E048D25Fc26Fa3159b0aA04BfA4Db98', // kBTC
  ],
  factories: [
    {
      address: '0xfe57A6BA1951F69aE2Ed4abe23e0f095DF500C04',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
    },
    { address: '0x640887A9ba3A9C53Ed27D0F7e8246A4F933f3424', venue: 'uniswapV3', amm: 'uniswapv3' },
    { address: '0x360e68faccca8ca495c1b759fd9eee466db9fb32', venue: 'uniswapV4', amm: 'uniswapv4' },
  ],
  native_pool_usd_min: 10_000,
} as const
