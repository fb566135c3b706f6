/** Ethereum mainnet. */
export const eth = {
  chain_id: 1,
  checked: '2026-11-16',
  aliases: ['ethereum', 'mainnet'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/1/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 12_000,
  poll_ms: 2_000,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  },
  stables: [
    '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', // USDC
    '0xdAC17F958D2ee523a2206206994597C13D831ec7', // USDT
    '0x6B175474E89094C44Da98b954EedeAC495271d0F', // DAI
    '0x4c9EDD5852cd905f086C759E8383e09bff1E68B3', // USDe
  ],
  quotes: [
    '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', // WBTC
    '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', // cbBTC
  ],
  factories: [
    {
      address: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 10_000_834,
    },
    {
      address: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 12_369_621,
    },
    {
      address: '0xC0AEe478e3658e2610c5F7A4A2E1777cE9e4f2Ac',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
      since_block: 10_794_229,
    },
    {
      address: '0xbACEB8eC6b9355Dfc0269C18bac9d6E2Bdc29C4F',
      venue: 'uniswapV3',
      amm: 'sushiv3',
      since_block: 16_955_547,
    },
    {
      address: '0x1097053Fd2ea711dad45caCcc45EfF7548fCB362',
      venue: 'uniswapV2',
      amm: 'cakev2',
      fee_ppm: 2_500,
      since_block: 15_614_590,
    },
    {
      address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      venue: 'pancakeV3',
      amm: 'cakev3',
      since_block: 16_950_686,
    },
    {
      address: '0x000000000004444c5dc75cB358380D2e3dE08A90',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 21_688_329,
    },
    {
      address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      venue: 'balancerV2',
      amm: 'balancerv2',
      since_block: 12_272_146,
    },
    {
      address: '0xbA1333333333a1BA1108E8412f11850A5C319bA9',
      venue: 'balancerV3',
      amm: 'balancerv3',
      since_block: 21_332_121,
    },
    { address: '0x6A8cbed756804B16E05E741eDaBd5cB544AE21bf', venue: 'curve', amm: 'curve' },
    { address: '0x98EE851a00abeE0d95D08cF4CA2BdCE32aeaAF7F', venue: 'curve', amm: 'curve' },
    { address: '0x0c0e5f2fF0ff18a3be9b835635039256dC4B4963', venue: 'curve', amm: 'curve' },
    {
      address: '0xDC8d77b69155c7E68A95a4fb0f06a71FF90B943a',
      venue: 'liquidityBook',
      amm: 'liquiditybook',
    },
  ],
  launch_platforms: [
    { address: '0x6C8599779B03B00AAaE63C6378830919Abb75473', platform: 'clanker', amm: 'clanker' },
  ],
  lockers: [
    // UNCX
    '0x231278eDd38B00B07fBd52120CEf685B9BaEBCC1',
    '0x7f5C649856F900d15C83741f45AE46f5C6858234',
    '0xFD235968e65B0990584585763f837A5b5330e6DE',
    '0x6a76da1eb2cbe8b0d52cfe122c4b7f0ca5a940ef',
    '0x30529ac67d5ac5f33a4e7fe533149a567451f023',
    '0x147aeca171a79466fe9e2c03f21b45155ff403f8',
    '0x663A5C229c09b049E36dCc11a9B0d4a8Eb9db214',
    '0xED9180976c2a4742C7A57354FD39d8BEc6cbd8AB',
    '0x17e00383A843A9922bCA3B280C0ADE9f8BA48449',
    '0xd94848bf2aa46409e5fa44c5959677c2aabcbe98',
    '0x59d7d55ddc58494fbbbca29904f108ece82ac7fb',
    // PinkLock
    '0x33d4cC8716Beb13F814F538Ad3b2de3b036f5e2A',
    '0x71B5759d73262FBb223956913ecF4ecC51057641',
    // Team Finance
    '0xE2fE530C047f2d85298b07D9333C05737f1435fB',
    '0xdbf72370021babafbceb05ab10f99ad275c6220a',
    '0xC77aab3c6D7dAb46248F3CC3033C856171878BD5',
    // GoPlus
    '0x25c9C4B56E820e0DEA438b145284F02D9Ca9Bd52',
    '0xF17A08A7d41F53B24AD07Eb322CBBdA2ebdeC04b',
  ],
  // Subgraphs usually require 1 to 2 ETH; mainnet pools that price ETH hold far more.
  native_pool_usd_min: 100_000,
} as const
