/** Berachain. */
export const berachain = {
  chain_id: 80_094,
  checked: '2026-11-16',
  aliases: ['bera'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/80094/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 2_000,
  poll_ms: 1_000,
  native: {
    symbol: 'BERA',
    decimals: 18,
    wrapped_token: '0x6969696969696969696969696969696969696969',
  },
  stables: [
    '0xFCBD14DC51f0A4d49d5E53C2E0950e0bC26d0Dce', // HONEY
    '0x549943e04f40284185054145c6E4e9568C1D3241', // USDC.e
  ],
  quotes: [
    '0x2F6F07CDcf3588944Bf4C42aC74ff24bF56e7590', // WETH
  ],
  factories: [
    {
      address: '0x4Be03f781C497A489E3cB0287833452cA9B9E80B',
      venue: 'balancerV2',
      amm: 'bex',
      since_block: 9_384,
    },
    {
      address: '0xD84CBf0B02636E7f53dB9E5e45A616E05d710990',
      venue: 'uniswapV3',
      amm: 'kodiakv3',
      since_block: 12_314,
    },
    { address: '0x5e705e184D233FF2A7cb1553793464a9d0C3028F', venue: 'uniswapV2', amm: 'kodiakv2' },
  ],
  native_pool_usd_min: 10_000,
} as const
