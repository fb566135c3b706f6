/** HyperEVM of Hyperliquid. */
export const hyperevm = {
  chain_id: 999,
  checked: '2026-11-16',
  aliases: ['hyperliquid', 'hyper-evm'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/999/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 1_000,
  poll_ms: 500,
  native: {
    symbol: 'HYPE',
    decimals: 18,
    wrapped_token: '0x5555555555555555555555555555555555555555',
  },
  stables: [
    '0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb', // USDT0
    '0xb88339CB7199b77E23DB6E890353E22632Ba630f', // USDC
    '0x5d3a1Ff2b6BAb83b63cd9AD0787074081a52ef34', // USDe
  ],
  quotes: [],
  factories: [
    {
      address: '0xB1c0fa0B789320044A6F623cFe5eBda9562602E3',
      venue: 'uniswapV3',
      amm: 'hyperswapv3',
    },
    {
      address: '0x724412C00059bf7d6ee7d4a1d0D5cd4de3ea1C48',
      venue: 'uniswapV2',
      amm: 'hyperswapv2',
    },
    { address: '0xFf7B3e8C00e57ea31477c32A5B52a58Eea47b072', venue: 'uniswapV3', amm: 'prjx' },
    {
      address: '0xbA1333333333a1BA1108E8412f11850A5C319bA9',
      venue: 'balancerV3',
      amm: 'balancerv3',
    },
  ],
  native_pool_usd_min: 10_000,
} as const
