/** Default values of a pair record: a pool of two tokens whose events contain its price. */
export const pairDefaults = { venue: 'uniswapV2', params: [], pool: null, otherIds: [] } as const
