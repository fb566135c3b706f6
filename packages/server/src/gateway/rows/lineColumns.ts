/** Columns of a price line's numbers: together as long as what memory gives at once. */
export const lineColumn = {
  /** Of the market that the line was made of. */
  version: 0,
  validUntilS: 1,
  tvlUsd: 2,
  volumeUsd: 3,
  /** Age of the chain, see `LineChain`, when the id was looked up. */
  age: 4,
  tokenId: 5,
  /** Position of the chain. */
  chain: 6,
  /** The batch that had it last: an id that is given twice is answered once. */
  batch: 7,
} as const

export const lineColumns = 8
