/** Polygon PoS. */
export const polygon = {
  chain_id: 137,
  checked: '2026-11-16',
  aliases: ['matic', 'pol', 'polygon-pos'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/137/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 2_000,
  poll_ms: 1_000,
  native: {
    symbol: 'POL',
    decimals: 18,
    wrapped_token: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  },
  stables: [
    '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', // USDC
    '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', // USDC.e
    '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', // USDT
    '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', // DAI
  ],
  quotes: [
    '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', // WETH
  ],
  factories: [
    {
      address: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 49_948_178,
    },
    {
      address: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 22_757_547,
    },
    {
      address: '0x67366782805870060151383F4BbFF9daB53e5cD6',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 66_980_384,
    },
    {
      address: '0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32',
      venue: 'uniswapV2',
      amm: 'quickv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x411b0fAcC3489691f28ad58c47006AF5E3Ab3A28',
      venue: 'algebra',
      amm: 'quickv3',
      since_block: 32_610_688,
    },
    {
      address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x917933899c6a5F8E37F31E19f92CdBFF7e8FF0e2',
      venue: 'uniswapV3',
      amm: 'sushiv3',
      since_block: 41_024_971,
    },
    {
      address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      venue: 'balancerV2',
      amm: 'balancerv2',
    },
    { address: '0x1764ee18e8B3ccA4787249Ceb249356192594585', venue: 'curve', amm: 'curve' },
  ],
  lockers: [
    // UNCX
    '0xadb2437e6f65682b85f814fbc12fec0508a7b1d0',
    '0x40f6301edb774e8B22ADC874f6cb17242BaEB8c4',
    // PinkLock
    '0x6C9A0D8B1c7a95a323d744dE30cf027694710633',
    // Team Finance
    '0x3eF7442dF454bA6b7C1deEc8DdF29Cfb2d6e56c7',
    '0x586c21a779c24efd2a8af33c9f7df2a2ea9af55c',
  ],
  native_pool_usd_min: 100_000,
} as const
