/** ZKsync Era. */
export const zksync = {
  chain_id: 324,
  checked: '2026-11-16',
  aliases: ['zksync-era', 'era'],
  logo_url:
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/324/{address}/logo-128.png',
  // The finalized block waits for Ethereum; the sequencer almost never reverts one.
  finality: '64s',
  block_ms: 1_000,
  poll_ms: 1_000,
  // Its virtual machine derives other addresses from the same code.
  multicall3: '0xF9cda624FBC7e059355ce98a31693d299FACd963',
  native: {
    symbol: 'ETH',
    decimals: 18,
    wrapped_token: '0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91',
  },
  stables: [
    '0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4', // USDC
    '0x3355df6D4c9C3035724Fd0e3914dE96A5a83aaf4', // USDC.e
    '0x493257fD37EDB34451f62EDf8D2a0C418852bA4C', // USDT
  ],
  quotes: [],
  factories: [
    {
      address: '0x8FdA5a7a8dCA67BBcDd10F02Fa0649A937215422',
      venue: 'uniswapV3',
      amm: 'uniswapv3',
      since_block: 12_637_080,
    },
    {
      address: '0x1BB72E0CbbEA93c08f535fc7856E0338D7F7a8aB',
      venue: 'pancakeV3',
      amm: 'cakev3',
      since_block: 9_413_438,
    },
  ],
  native_pool_usd_min: 10_000,
} as const
