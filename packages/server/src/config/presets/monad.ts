/** Monad. */
export const monad = {
  chain_id: 143,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/143/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 300,
  poll_ms: 300,
  // Blocks are executed after they are proposed: a header's bloom filter is not of the block's own
  // logs.
  node_checks: { bloom: false },
  native: {
    symbol: 'MON',
    decimals: 18,
    wrapped_token: '0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A',
  },
  stables: [
    '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', // USDC
    '0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a', // AUSD
    '0xe7cd86e13AC4309349F30B3435a9d337750fC82D', // USDT0
  ],
  quotes: [],
  factories: [
    {
      address: '0x182a927119D56008d921126764bF884221b10f59',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 29_255_814,
    },
    {
      address: '0x204faca1764b154221e35c0d20abb3c525710498',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 29_255_827,
    },
    {
      address: '0x188d586Ddcf52439676Ca21A244753fA19F9Ea8e',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 29_255_895,
    },
    {
      address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      venue: 'pancakeV3',
      amm: 'cakev3',
      since_block: 23_058_782,
    },
    {
      address: '0xbA1333333333a1BA1108E8412f11850A5C319bA9',
      venue: 'balancerV3',
      amm: 'balancerv3',
    },
    {
      address: '0xb43120c4745967fa9b93E79C149E66B0f2D6Fe0c',
      venue: 'liquidityBook',
      amm: 'liquiditybook',
    },
    { address: '0xA25b13127e63ddae6d0b35570FF3D39dBD621001', venue: 'uniswapV2', amm: 'nadfunv2' },
  ],
  launch_platforms: [
    {
      address: '0xA7283d07812a02AFB7C09B60f8896bCEA3F90aCE',
      platform: 'nadfun',
      amm: 'nadfun',
      since_block: 37_709_836,
    },
    {
      address: '0x30e8ee7b5881bf2E158A0514f2150aabe2c68b23',
      platform: 'flap',
      amm: 'flap',
      since_block: 32_284_042,
    },
    { address: '0xF9a0C289Eab6B571c6247094a853810987E5B26D', platform: 'clanker', amm: 'clanker' },
  ],
  native_pool_usd_min: 10_000,
} as const
