/** What the record of a pair has that is a pool of two tokens whose events tell its price. */
export const pairDefaults = { venue: 'uniswapV2', params: [], pool: null, otherIds: [] } as const
