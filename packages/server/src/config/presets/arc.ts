/**
 * Arc, Circle's chain. Its native coin is USDC: 18 decimals as the coin, which venues name by the
 * zero address, and 6 as the ERC-20 at 0x3600…, which moves the same balance. No token wraps it.
 */
export const arc = {
  chain_id: 5_042,
  checked: '2026-11-19',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/5042/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 500,
  poll_ms: 250,
  native: { symbol: 'USDC', decimals: 18 },
  stables: [
    '0x0000000000000000000000000000000000000000', // the coin
    '0x3600000000000000000000000000000000000000', // USDC
  ],
  quotes: [
    '0xbEf5f6d51CB62b58e6A8f77868681825C6fe21c1', // EURC
  ],
  factories: [
    {
      address: '0x89e5db8b5aa49aa85ac63f691524311aeb649eba',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
    },
    { address: '0xf0db7b58379503491d857db50ac9ece64c653918', venue: 'uniswapV3', amm: 'uniswapv3' },
    { address: '0x8366a39cc670b4001a1121b8f6a443a643e40951', venue: 'uniswapV4', amm: 'uniswapv4' },
  ],
  native_pool_usd_min: 10_000,
} as const
