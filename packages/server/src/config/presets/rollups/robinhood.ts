/** Robinhood Chain. */
export const robinhood = {
  chain_id: 4_663,
  checked: '2026-11-16',
  aliases: ['robinhood-chain'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/4663/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '60s',
  block_ms: 100,
  poll_ms: 200,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73',
  },
  stables: [
    '0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168', // USDG
  ],
  quotes: [],
  factories: [
    {
      address: '0x8bceaa40b9acdfaedf85adf4ff01f5ad6517937f',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 8_928,
    },
    {
      address: '0x1f7d7550b1b028f7571e69a784071f0205fd2efa',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 8_930,
    },
    { address: '0x8366a39cc670b4001a1121b8f6a443a643e40951', venue: 'uniswapV4', amm: 'uniswapv4' },
    { address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865', venue: 'pancakeV3', amm: 'cakev3' },
  ],
  launch_platforms: [
    {
      address: '0x26605f322f7fF986f381bB9A6e3f5DAb0bEaEb09',
      platform: 'flap',
      amm: 'flap',
      since_block: 4_180_724,
    },
    // Second version of Pons.
    { address: '0x7eD598BcEf8bd9Edd8C97A195C6d13f40801EC7e', platform: 'pons', amm: 'pons' },
    { address: '0xe8Cc4431adF8b5A847C113EF0c6af9043219Cb37', platform: 'bags', amm: 'bags' },
    { address: '0xD3f2cC1731b7Fd17f28798835C2E02f0a1839A94', platform: 'clanker', amm: 'clanker' },
  ],
  native_pool_usd_min: 10_000,
} as const
