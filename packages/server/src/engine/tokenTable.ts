/** Columns of a token's row; the row is its id + 1. Pairs are held as their row, 0 for none. */
export const tokenColumn = {
  mainPair: 0,
  /** A pair that is ahead of the main pair, and since which block. */
  challenger: 1,
  challengerHeight: 2,
  /** Pairs in which the token is the target, oldest first. */
  targetHead: 3,
  targetTail: 4,
  targetCount: 5,
  /** Pairs in which the token is the quote, oldest first. */
  quoteHead: 6,
  quoteTail: 7,
  quoteCount: 8,
  launchRow: 9,
  launchPriceUsd: 10,
  launchedAtS: 11,
  updatedAtS: 12,
  judgedHeight: 13,
} as const

export const tokenColumns = 14
