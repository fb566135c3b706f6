/** Avalanche C-Chain. */
export const avalanche = {
  chain_id: 43_114,
  checked: '2026-11-16',
  aliases: ['avax', 'avalanche-c', 'avalanche-c-chain'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/43114/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 1_500,
  poll_ms: 1_000,
  native: {
    symbol: 'AVAX',
    decimals: 18,
    wrapped_token: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7',
  },
  stables: [
    '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', // USDC
    '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', // USDT
    '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664', // USDC.e
    '0xd586E7F844cEa2F87f50152665BCbc2C279D8d70', // DAI.e
  ],
  quotes: [
    '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB', // WETH.e
    '0x152b9d0FdC40C096757F570A51E494bd4b943E50', // BTC.b
  ],
  factories: [
    {
      address: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 37_767_795,
    },
    {
      address: '0x740b1c1de25031C31FF4fC9A62f554A55cdC1baD',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 27_832_971,
    },
    {
      address: '0x06380C0e0912312B5150364B9DC4542BA0DbBc85',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 56_195_376,
    },
    {
      address: '0x9Ad6C38BE94206cA50bb0d90783181662f0Cfa10',
      venue: 'uniswapV2',
      amm: 'joev1',
      fee_ppm: 3_000,
    },
    {
      address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x3e603C14aF37EBdaD31709C4f848Fc6aD5BEc715',
      venue: 'uniswapV3',
      amm: 'sushiv3',
      since_block: 28_186_391,
    },
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
    { address: '0x1764ee18e8B3ccA4787249Ceb249356192594585', venue: 'curve', amm: 'curve' },
  ],
  lockers: [
    // UNCX
    '0xa9f6aefa5d56db1205f36c34e6482a6d4979b3bb',
    // PinkLock
    '0x4DffB05d1Bc222A2852799e2076e956acb589322',
    '0x9479C6484a392113bB829A15E7c9E033C9e70D30',
    // Team Finance
    '0x88ada02f6fce2f1a833cd9b4999d62a7ebb70367',
  ],
  native_pool_usd_min: 100_000,
} as const
