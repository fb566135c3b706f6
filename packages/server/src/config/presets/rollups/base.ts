/** Base. */
export const base = {
  chain_id: 8_453,
  checked: '2026-11-16',
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/8453/{address}/logo-128.png',
  // The finalized block waits for Ethereum and is 15 to 20 minutes behind; the sequencer almost
  // never reverts one, so an age serves better.
  finality: '128s',
  block_ms: 200,
  poll_ms: 200,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x4200000000000000000000000000000000000006',
  },
  stables: [
    '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', // USDC
    '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', // USDbC
    '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', // USDT
    '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', // DAI
  ],
  quotes: [
    '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', // cbBTC
    '0x940181a94A35A4569E4529A3CDfB74e38FD98631', // AERO
    '0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b', // VIRTUAL
    '0x1111111111166b7FE7bd91427724B487980aFc69', // ZORA
  ],
  factories: [
    {
      address: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 6_601_915,
    },
    {
      address: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 1_371_680,
    },
    {
      address: '0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E',
      venue: 'uniswapV2',
      amm: 'cakev2',
      fee_ppm: 2_500,
      since_block: 2_910_387,
    },
    {
      address: '0x71524B4f93c58fcbF659783284E38825f0622859',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      venue: 'uniswapV3',
      amm: 'sushiv3',
      since_block: 1_759_510,
    },
    {
      address: '0xFDa619b6d20975be80A10332cD39b9a4b0FAa8BB',
      venue: 'uniswapV2',
      amm: 'baseswapv2',
      fee_ppm: 2_500,
    },
    {
      address: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      venue: 'pancakeV3',
      amm: 'cakev3',
      since_block: 2_912_007,
    },
    {
      address: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 25_350_988,
    },
    {
      address: '0xa0FfB9c1CE1Fe56963B0321B32E7A0302114058b',
      venue: 'pancakeInfinityCl',
      amm: 'cakeinfinity',
      since_block: 30_544_106,
    },
    {
      address: '0xC697d2898e0D09264376196696c51D7aBbbAA4a9',
      venue: 'pancakeInfinityBin',
      amm: 'cakeinfinitybin',
      since_block: 30_544_106,
    },
    {
      address: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
      venue: 'solidly',
      amm: 'aerodrome',
      since_block: 3_200_559,
    },
    {
      address: '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
      venue: 'slipstream',
      amm: 'aerodromecl',
      since_block: 13_843_704,
    },
    {
      address: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
      venue: 'slipstream',
      amm: 'aerodromecl',
    },
    {
      address: '0x9592CD9B267748cbfBDe90Ac9F7DF3c437A6d51B',
      venue: 'slipstream',
      amm: 'aerodromecl',
    },
    {
      address: '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef',
      venue: 'slipstream',
      amm: 'aerodromecl',
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
    // Virtuals' own, for tokens on their curves.
    { address: '0xd7d3c85b4f2e9bee1998cd2e98820e647792d284', venue: 'virtuals', amm: 'virtuals' },
    { address: '0x158d7ccaa23dc3c8861c3323ed546e3d25e74309', venue: 'virtuals', amm: 'virtuals' },
    { address: '0xd2002373543Ce3527023C75e7518C274A51ce712', venue: 'curve', amm: 'curve' },
    { address: '0xc9Fe0C63Af9A39402e8a5514f9c43Af0322b665F', venue: 'curve', amm: 'curve' },
    { address: '0xA5961898870943c68037F6848d2D866Ed2016bcB', venue: 'curve', amm: 'curve' },
  ],
  launch_platforms: [
    { address: '0xE85A59c628F7d27878ACeB4bf3b35733630083a9', platform: 'clanker', amm: 'clanker' },
    // Its version 3.1.
    { address: '0x2A787b2362021cC3eEa3C24C4748a6cD5B687382', platform: 'clanker', amm: 'clanker' },
    { address: '0x777777751622c0d3258f214F9DF38E35BF45baF3', platform: 'zora', amm: 'zora' },
    {
      address: '0xF66DeA7b3e897cD44A5a231c61B6B4423d613259',
      platform: 'virtuals',
      amm: 'virtuals',
    },
  ],
  lockers: [
    // clanker
    '0x29d17C1A8D851d7d4cA97FAe97AcAdb398D9cCE0',
    '0x63D2DfEA64b3433F4071A98665bcD7Ca14d93496',
    '0x33e2Eda238edcF470309b8c6D228986A1204c8f9',
    // UNCX
    '0x231278edd38b00b07fbd52120cef685b9baebcc1',
    '0xd6cd8fb001cbdae91f0af7a58a1602c945967d67',
    '0x1ec811ad6039e33b86458cdb267667af083261ed',
    '0xd0cbff53620a345205750a14f03739806cffbd67',
    '0x610b43e981960b45f818a71cd14c91d35cda8502',
    '0xc4E637D37113192F4F1F060DaEbD7758De7F4131',
    '0xBeddF48499788607B4c2e704e9099561ab38Aae8',
    // Team Finance
    '0x4F0Fd563BE89ec8C3e7D595bf3639128C0a7C33A',
    // GoPlus
    '0x25c9C4B56E820e0DEA438b145284F02D9Ca9Bd52',
    '0xF17A08A7d41F53B24AD07Eb322CBBdA2ebdeC04b',
  ],
  native_pool_usd_min: 100_000,
} as const
