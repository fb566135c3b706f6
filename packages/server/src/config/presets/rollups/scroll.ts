/** Scroll. */
export const scroll = {
  chain_id: 534_352,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/534352/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '192s',
  block_ms: 3_000,
  poll_ms: 1_000,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x5300000000000000000000000000000000000004',
  },
  stables: [
    '0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4', // USDC
    '0xf55BEC9cafDbE8730f096Aa55dad6D22d44099Df', // USDT
  ],
  quotes: [],
  factories: [
    {
      address: '0x70C62C8b8e801124A4Aa81ce07b637A3e83cb919',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 1_367,
    },
  ],
  native_pool_usd_min: 10_000,
} as const
