/** Mantle. */
export const mantle = {
  chain_id: 5_000,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/5000/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '128s',
  block_ms: 2_000,
  poll_ms: 1_000,
  native: {
    symbol: 'MNT',
    decimals: 18,
    wrapped_token: '0x78c1b0C915c4FAA5FffA6CAbf0219DA63d7f4cb8',
  },
  stables: [
    '0x09Bc4E0D864854c6aFB6eB9A9cdF58aC190D0dF9', // USDC
    '0x201EBa5CC46D216Ce6DC03F6a759e8E766e956aE', // USDT
    '0x5d3a1Ff2b6BAb83b63cd9AD0787074081a52ef34', // USDe
  ],
  quotes: [
    '0xdEAddEaDdeadDEadDEADDEAddEADDEAddead1111', // WETH
  ],
  factories: [
    {
      address: '0x25780dc8Fc3cfBD75F33bFDAB65e969b603b2035',
      venue: 'pancakeV3',
      amm: 'agni',
      since_block: 110_692,
    },
    { address: '0x530d2766D1988CC1c000C8b7d00334c14B69AD71', venue: 'pancakeV3', amm: 'fusionxv3' },
  ],
  native_pool_usd_min: 10_000,
} as const
