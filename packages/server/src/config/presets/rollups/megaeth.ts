/**
 * MegaETH. Its blocks of one second collect mini blocks of ten milliseconds; only the blocks are
 * read.
 */
export const megaeth = {
  chain_id: 4_326,
  checked: '2026-11-19',
  aliases: ['mega', 'mega-eth'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/4326/{address}/logo-128.png',
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
    '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7', // USDM
    '0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb', // USDT0
    '0x5d3a1Ff2b6BAb83b63cd9AD0787074081a52ef34', // USDe
  ],
  quotes: [
    '0xB0F70C0bD6FD87dbEb7C10dC692a2a6106817072', // BTC.b
    '0x32090fB1399a31cC095e6341a6353b7c09ba84FB', // WBTC
  ],
  factories: [
    {
      address: '0x9b7f6a5c2ea87ed485bc8eb92a21aab84b077453',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
    },
    { address: '0x365de2d31084f7afafd53078eafbf598f29702e8', venue: 'uniswapV3', amm: 'uniswapv3' },
    { address: '0x68b34591f662508076927803c567Cc8006988a09', venue: 'uniswapV3', amm: 'kumbaya' },
    { address: '0x58dd83c317b03e6ebd72c3e912adf60a8e97aa95', venue: 'uniswapV4', amm: 'uniswapv4' },
  ],
  native_pool_usd_min: 10_000,
} as const
