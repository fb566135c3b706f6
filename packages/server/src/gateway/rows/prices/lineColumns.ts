import { sourceColumns } from '../cache/windowSource.ts'

/** Columns of a price line's numbers. What a line that is up to date needs comes first: memory gives eight at once. */
export const lineColumn = {
  /** Of the market that the line was made of. */
  version: 0,
  /** The batch that had it last: an id that is given twice is answered once. */
  batch: 1,
  sizeBytes: 2,
  tvlUsd: 3,
  volumeUsd: 4,
  /** Age of the chain, see `BatchChain`, when the id was looked up. */
  age: 5,
  /** Position of the chain. */
  chain: 6,
  /** What its day was made of, see `windowSource.ts`; the moment until which it holds comes first. */
  source: 7,
  tokenId: 7 + sourceColumns,
  /** Where its parts begin behind the id. */
  dayAt: 8 + sourceColumns,
  worthAt: 9 + sourceColumns,
} as const

export const lineColumns = 16
