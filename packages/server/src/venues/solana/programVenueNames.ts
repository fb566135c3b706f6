/**
 * Venues whose programs a chain's config may name. Apart from venues.ts, which loads every decoder: who only reads a config
 * needs the names alone. A test holds both together.
 */
export const programVenueNames = [
  'pumpSwap',
  'raydiumAmmV4',
  'raydiumCpmm',
  'raydiumClmm',
  'orcaWhirlpool',
  'meteoraDlmm',
  'meteoraDammV1',
  'meteoraDammV2',
  'phoenix',
  'openBookV2',
  'lifinityV2',
  'fluxbeam',
  'stabble',
  'obric',
  'zeroFi',
  'solFi',
  'humidiFi',
  'bisonFi',
  'goonFi',
  'tesseraV',
] as const satisfies readonly string[]
