/** OP Mainnet. */
export const optimism = {
  chain_id: 10,
  checked: '2026-11-16',
  aliases: ['op'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/10/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '128s',
  block_ms: 2_000,
  poll_ms: 1_000,
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x4200000000000000000000000000000000000006',
  },
  stables: [
    '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', // USDC
    '0x7F5c764cBc14f9669B88837ca1490cCa17c31607', // USDC.e
    '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', // USDT
    '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', // DAI
  ],
  quotes: [
    '0x4200000000000000000000000000000000000042', // OP
  ],
  factories: [
    {
      address: '0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf',
      venue: 'uniswapV2',
      amm: 'uniswapv2',
      fee_ppm: 3_000,
      since_block: 112_197_986,
    },
    {
      address: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 27_446,
    },
    {
      address: '0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3',
      venue: 'uniswapV4',
      amm: 'uniswapv4',
      since_block: 130_947_675,
    },
    {
      address: '0xFbc12984689e5f15626Bad03Ad60160Fe98B303C',
      venue: 'uniswapV2',
      amm: 'sushiv2',
      fee_ppm: 3_000,
    },
    {
      address: '0x9c6522117e2ed1fE5bdb72bb0eD5E3f2bdE7DBe0',
      venue: 'uniswapV3',
      amm: 'sushiv3',
      since_block: 85_432_013,
    },
    { address: '0x25CbdDb98b35ab1FF77413456B31EC81A6B6B746', venue: 'solidly', amm: 'velodromev1' },
    { address: '0xF1046053aa5682b4F9a81b5481394DA16BE5FF5a', venue: 'solidly', amm: 'velodromev2' },
    {
      address: '0x548118C7E0B865C2CfA94D15EC86B666468ac758',
      venue: 'slipstream',
      amm: 'velodromecl',
    },
    {
      address: '0xCc0bDDB707055e04e497aB22a59c2aF4391cd12F',
      venue: 'slipstream',
      amm: 'velodromecl',
    },
    {
      address: '0xe13Dd1fbA721Aa81a1826D9523AC9BC7d260c879',
      venue: 'slipstream',
      amm: 'velodromecl',
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
    { address: '0x5eeE3091f747E60a045a2E715a4c71e600e31F6E', venue: 'curve', amm: 'curve' },
  ],
  lockers: [
    // UNCX
    '0x1ce6d27f7e5494573684436d99574e8288ebbd2d',
  ],
  native_pool_usd_min: 100_000,
} as const
