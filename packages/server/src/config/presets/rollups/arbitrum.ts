/** Arbitrum One. */
export const arbitrum = {
  chain_id: 42_161,
  checked: '2026-11-16',
  aliases: ['arb', 'arb1', 'arbitrum-one'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/42161/{address}/logo-128.png',
  // The finalized block waits for Ethereum and is 15 minutes behind; the sequencer almost never
  // reverts one.
  finality: '60s',
  block_ms: 250,
  poll_ms: 250,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  },
  stables: [
    '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', // USDC
    '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', // USDC.e
    '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', // USDT
    '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', // DAI
  ],
  quotes: [
    '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', // WBTC
    '0x912CE59144191C1204E64559FE8253a0e49E6548', // ARB
  ],
  factories: [
    {
      address: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 150_442_611,
    },
    {
      address: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 165,
    },
    {
      address: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 297_842_872,
    },
    {
      address: '0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E',
      venue: 'uniswapV2',
      amm: 'cakev2',
      fee_ppm: 2_500,
    },
    {
      address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      venue: 'pancakeV3',
      amm: 'cakev3',
      since_block: 101_028_949,
    },
    {
      address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x1af415a1EbA07a4986a52B6f2e7dE7003D82231e',
      venue: 'uniswapV3',
      amm: 'sushiv3',
      since_block: 75_998_697,
    },
    { address: '0x6EcCab422D763aC031210895C81787E87B43A652', venue: 'uniswapV2', amm: 'camelotv2' },
    { address: '0x1a3c9B1d2F0529D97f2afC5136Cc23e58f1FD35B', venue: 'algebra', amm: 'camelotv3' },
    {
      address: '0xd490F2F6990C0291597fd1247651b4E0dCF684Dd',
      venue: 'algebra',
      amm: 'camelotv4',
      since_block: 75_633_510,
    },
    {
      address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      venue: 'balancerV2',
      amm: 'balancerv2',
    },
    {
      address: '0xbA1333333333a1BA1108E8412f11850A5C319bA9',
      venue: 'balancerV3',
      amm: 'balancerv3',
    },
    { address: '0x9AF14D26075f142eb3F292D5065EB3faa646167b', venue: 'curve', amm: 'curve' },
    { address: '0x98EE851a00abeE0d95D08cF4CA2BdCE32aeaAF7F', venue: 'curve', amm: 'curve' },
    { address: '0xbC0797015fcFc47d9C1856639CaE50D0e69FbEE8', venue: 'curve', amm: 'curve' },
    {
      address: '0x8e42f2F4101563bF679975178e880FD87d3eFd4e',
      venue: 'liquidityBook',
      amm: 'liquiditybook',
    },
    {
      address: '0xb43120c4745967fa9b93E79C149E66B0f2D6Fe0c',
      venue: 'liquidityBook',
      amm: 'liquiditybook',
    },
  ],
  launch_platforms: [
    { address: '0xEb9D2A726Edffc887a574dC7f46b3a3638E8E44f', platform: 'clanker', amm: 'clanker' },
  ],
  lockers: [
    // UNCX
    '0x275720567E5955F5f2D53A7A1Ab8a0Fc643dE50E',
    '0xfa104eb3925a27e6263e05acc88f2e983a890637',
    '0x6b5360B419e0851b4b81644e0F63c1A9778f2506',
    // Team Finance
    '0xE0B0D2021293Bee9715e1Db3be31b55C00F72A75',
    // GoPlus
    '0xF17A08A7d41F53B24AD07Eb322CBBdA2ebdeC04b',
    '0x25c9C4B56E820e0DEA438b145284F02D9Ca9Bd52',
  ],
  native_pool_usd_min: 100_000,
} as const
