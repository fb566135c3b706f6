/** Linea. */
export const linea = {
  chain_id: 59_144,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/59144/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '128s',
  block_ms: 2_000,
  poll_ms: 1_000,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f',
  },
  stables: [
    '0x176211869cA2b568f2A7D4EE941E073a821EE1ff', // USDC
    '0xA219439258ca9da29E9Cc4cE5596924745e12B93', // USDT
  ],
  quotes: [],
  factories: [
    {
      address: '0x114A43DF6C5f54EBB8A9d70Cd1951D3dD68004c7',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 29_118_440,
    },
    {
      address: '0x31FAfd4889FA1269F7a13A66eE0fB458f27D72A9',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 25_248,
    },
    {
      address: '0x248083fb965359d82b06c1f5322480dcfc1ad857',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 28_974_969,
    },
    {
      address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      venue: 'pancakeV3',
      amm: 'cakev3',
      since_block: 1_445,
    },
    {
      address: '0xFbc12984689e5f15626Bad03Ad60160Fe98B303C',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x622b2c98123D303ae067DB4925CD6282B3A08D0F',
      venue: 'algebra',
      amm: 'lynexv3',
      since_block: 143_660,
    },
  ],
  native_pool_usd_min: 10_000,
} as const
