/** Gnosis Chain. Its native coin is a dollar. */
export const gnosis = {
  chain_id: 100,
  checked: '2026-11-16',
  aliases: ['xdai', 'gnosis-chain'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/100/{address}/logo-128.png',
  finality: 'finalized',
  block_ms: 5_000,
  poll_ms: 1_000,
  native: {
    symbol: 'XDAI',
    decimals: 18,
    wrapped_token: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d',
  },
  stables: [
    '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83', // USDC
    '0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0', // USDC.e
  ],
  quotes: [
    '0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1', // WETH
    '0x9C58BAcC331c9aa871AFD802DB6379a98e80CEdb', // GNO
  ],
  factories: [
    {
      address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0xA818b4F111Ccac7AA31D0BCc0806d64F2E0737D7',
      venue: 'uniswapV2',
      amm: 'honeyswap',
      fee_ppm: 3_000,
    },
    { address: '0x5D48C95AdfFD4B40c1AAADc4e08fc44117E02179', venue: 'uniswapV2', amm: 'swaprv2' },
    {
      address: '0xA0864cCA6E114013AB0e27cbd5B6f4c8947da766',
      venue: 'algebra',
      amm: 'swaprv3',
      since_block: 30_096_645,
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
  ],
  native_pool_usd_min: 10_000,
} as const
