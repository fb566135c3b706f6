/** World Chain. */
export const world = {
  chain_id: 480,
  checked: '2026-11-19',
  aliases: ['worldchain', 'world-chain'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/480/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '128s',
  block_ms: 2_000,
  poll_ms: 1_000,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x4200000000000000000000000000000000000006',
  },
  stables: [
    '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1', // USDC
  ],
  quotes: [],
  factories: [
    {
      address: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
    },
    { address: '0x7a5028BDa40e7B173C278C5342087826455ea25a', venue: 'uniswapV3', amm: 'uniswapv3' },
    { address: '0xb1860d529182ac3bc1f51fa2abd56662b7d13f33', venue: 'uniswapV4', amm: 'uniswapv4' },
  ],
  native_pool_usd_min: 10_000,
} as const
