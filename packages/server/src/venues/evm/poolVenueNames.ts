/**
 * Venues whose factories, managers or vaults a chain's config may name. Apart from venues.ts, which loads every decoder:
 * who only reads a config needs the names alone. A test holds both together.
 */
export const poolVenueNames = [
  'uniswapV2',
  'solidly',
  'uniswapV3',
  'pancakeV3',
  'slipstream',
  'algebra',
  'uniswapV4',
  'pancakeInfinityCl',
  'pancakeInfinityBin',
  'curve',
  'curveUnderlying',
  'balancerV2',
  'balancerV3',
  'liquidityBook',
  'dodo',
  'maverickV2',
  'fluid',
  'wooFi',
  'uniswapV1',
  'balancerV1',
  'virtuals',
] as const satisfies readonly string[]
