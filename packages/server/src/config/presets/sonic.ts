/** Sonic. */
export const sonic = {
  chain_id: 146,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/146/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 1_000,
  poll_ms: 1_000,
  native: {
    symbol: 'S',
    decimals: 18,
    wrapped_token: '0x039e2fB66102314Ce7b64Ce5Ce3E5183bc94aD38',
  },
  stables: [
    '0x29219dd400f2Bf60E5a23d13Be72B486D4038894', // USDC.e
    '0x6047828dc181963ba44974801FF68e538dA5eaF9', // USDT
  ],
  quotes: [
    '0x50c42dEAcD8Fc9773493ED674b675bE577f2634b', // WETH
  ],
  factories: [
    { address: '0x2dA25E7446A70D7be65fd4c053948BEcAA6374c8', venue: 'solidly', amm: 'shadowv2' },
    {
      address: '0xcD2d0637c94fe77C2896BbCBB174cefFb08DE6d7',
      venue: 'uniswapV3',
      amm: 'shadowcl',
      since_block: 1_705_910,
    },
    { address: '0x8121a3F8c4176E9765deEa0B95FA2BDfD3016794', venue: 'algebra', amm: 'swapxv4' },
  ],
  native_pool_usd_min: 10_000,
} as const
