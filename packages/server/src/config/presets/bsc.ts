/** BNB Smart Chain. Its stablecoins have 18 decimals. */
export const bsc = {
  chain_id: 56,
  checked: '2026-11-16',
  aliases: ['bnb', 'binance', 'bnb-chain', 'bnb-smart-chain', 'binance-smart-chain'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/56/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 450,
  poll_ms: 400,
  native: {
    symbol: 'BNB',
    decimals: 18,
    wrapped_token: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  },
  stables: [
    '0x55d398326f99059fF775485246999027B3197955', // USDT
    '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', // USDC
    '0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56', // BUSD
    '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d', // USD1
    '0xc5f0f7b66764F6ec8C8Dff7BA683102295E16409', // FDUSD
  ],
  quotes: [
    '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c', // BTCB
    '0x2170Ed0880ac9A755fd29B2688956BD959F933F8', // ETH
    '0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82', // CAKE
  ],
  factories: [
    {
      address: '0xcA143Ce32Fe78f1f7019d7d551a6402fC5350c73',
      venue: 'uniswapV2',
      amm: 'cakev2',
      fee_ppm: 2_500,
      since_block: 6_809_737,
    },
    {
      address: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 33_496_018,
    },
    {
      address: '0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 26_324_014,
    },
    {
      address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x126555dd55a39328F69400d6aE4F782Bd4C34ABb',
      venue: 'uniswapV3',
      amm: 'sushiv3',
      since_block: 26_976_538,
    },
    {
      address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      venue: 'pancakeV3',
      amm: 'cakev3',
      since_block: 26_956_207,
    },
    {
      address: '0x28e2Ea090877bF75740558f6BFB36A5ffeE9e9dF',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 45_970_610,
    },
    {
      address: '0xa0FfB9c1CE1Fe56963B0321B32E7A0302114058b',
      venue: 'pancakeInfinityCl',
      amm: 'cakeinfinity',
      since_block: 47_214_308,
    },
    {
      address: '0xC697d2898e0D09264376196696c51D7aBbbAA4a9',
      venue: 'pancakeInfinityBin',
      amm: 'cakeinfinitybin',
      since_block: 47_214_308,
    },
    { address: '0xAFD89d21BdB66d00817d4153E055830B1c2B3970', venue: 'solidly', amm: 'thenav1' },
    {
      address: '0x306F06C147f064A010530292A1EB6737c3e378e4',
      venue: 'algebra',
      amm: 'thenav3',
      since_block: 26_030_310,
    },
    {
      address: '0x30055F87716d3DFD0E5198C27024481099fB4A98',
      venue: 'algebra',
      amm: 'thenaintegral',
      since_block: 44_121_855,
    },
    {
      address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      venue: 'balancerV2',
      amm: 'balancerv2',
    },
    { address: '0xd7E72f3615aa65b92A4DBdC211E296a35512988B', venue: 'curve', amm: 'curve' },
    { address: '0x98EE851a00abeE0d95D08cF4CA2BdCE32aeaAF7F', venue: 'curve', amm: 'curve' },
    { address: '0xc55837710bc500F1E3c7bb9dd1d51F7c5647E657', venue: 'curve', amm: 'curve' },
    {
      address: '0x8e42f2F4101563bF679975178e880FD87d3eFd4e',
      venue: 'liquidityBook',
      amm: 'liquiditybook',
    },
  ],
  launch_platforms: [
    {
      address: '0x5c952063c7fc8610FFDB798152D69F0B9550762b',
      platform: 'fourmeme',
      amm: 'fourmeme',
    },
    // First version of four.meme.
    {
      address: '0xEC4549caDcE5DA21Df6E6422d448034B5233bFbC',
      platform: 'fourmeme',
      amm: 'fourmeme',
    },
    {
      address: '0xe2cE6ab80874Fa9Fa2aAE65D277Dd6B8e65C9De0',
      platform: 'flap',
      amm: 'flap',
      since_block: 39_980_228,
    },
    { address: '0xea30438E0B5f99096cb05A8Da63be55A6A298F6a', platform: 'clanker', amm: 'clanker' },
  ],
  lockers: [
    // UNCX
    '0x0D29598EC01fa03665feEAD91d4Fb423F393886c',
    '0xF1f7f21e2eA80AB110D0f95Faa64655688341990',
    '0xfe88DAB083964C56429baa01F37eC2265AbF1557',
    '0x62d61d5695013a5aa29a628b83d91e240984b613',
    '0xd8c5bb7137021d93e70b7814c697bed303573b21',
    '0xC765bddB93b0D1c1A88282BA0fa6B2d00E3e0c83',
    '0x74dee1a3e2b83e1d1f144af2b741bbaffd7305e1',
    // PinkLock
    '0x7ee058420e5937496F5a2096f04caA7721cF70cc',
    '0x407993575c91ce7643a4d4cCACc9A98c36eE1BBE',
    // Team Finance
    '0x0C89C0407775dd89b12918B9c0aa42Bf96518820',
    '0x7536592bb74b5d62eB82e8b93b17eed4eed9A85c',
    // GoPlus
    '0x25c9C4B56E820e0DEA438b145284F02D9Ca9Bd52',
    '0xF17A08A7d41F53B24AD07Eb322CBBdA2ebdeC04b',
    '0x7AA03D4b9051cF299e7A2272953D0590FEE485A4',
    // DeepLock
    '0x10dD7FD1Bf3753235068ea757f2018dFef94B257',
    '0x3f4D6bf08CB7A003488Ef082102C2e6418a4551e',
  ],
  native_pool_usd_min: 100_000,
} as const
